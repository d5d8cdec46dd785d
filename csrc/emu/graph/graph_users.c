/* User objects: what a program attaches to graphs, with a destructor that runs when the last graph
 * that holds them is gone.
 *
 * `holds` counts what the program and all graphs hold together; a hold may count for several. The
 * handle has one reference, dropped with the last hold. Graphs end on any thread, streams' threads
 * included, so the count is atomic. */
#include "emu/graph/graph.h"

#include <stdlib.h>

/* The destructor runs on the thread that drops the last hold. CUDA calls are not allowed in it
 * (cuUserObjectCreate). */
static void
user_release(UserObject *user, int count)
{
    /* Who takes away exactly what is left is the last, so one thread alone destroys. */
    if (atomic_fetch_sub(&user->holds, count) == count) {
        user->destroy(user->object);
        emu_handle_close(user);
    }
}

/* For clones and programs. The source's own holds keep the objects alive meanwhile. */
CUresult
emu_users_copy(UserHold **out, const UserHold *users)
{
    *out = NULL;
    for (; users != NULL; users = users->next) {
        UserHold *copy = malloc(sizeof *copy);
        if (copy == NULL) {
            emu_users_drop(*out);
            *out = NULL;
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        *copy = (UserHold){*out, users->user, users->count};
        atomic_fetch_add(&users->user->holds, users->count);
        *out = copy;
    }
    return 0;
}

void
emu_users_drop(UserHold *users)
{
    while (users != NULL) {
        UserHold *next = users->next;
        user_release(users->user, users->count);
        free(users);
        users = next;
    }
}

/* The creator holds `count`, which may be more than one. */
static UserObject *
user_new(void *object, CUhostFn destroy, int count)
{
    UserObject *user = emu_handle_new(KIND_USER_OBJECT, sizeof *user, NULL);
    if (user != NULL) {
        atomic_store(&user->holds, count);
        user->object = object;
        user->destroy = destroy;
    }
    return user;
}

/* For memory of conditional handles: it must live as long as any program made of the graph, and the
 * program never sees the object. */
CUresult
emu_users_attach(Graph *graph, void *object, CUhostFn destroy)
{
    UserHold *hold = malloc(sizeof *hold);
    UserObject *user = hold != NULL ? user_new(object, destroy, 1) : NULL;
    if (user == NULL) {
        free(hold);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* Not counted by the ledger, since the program did not create it. */
    emu_handle_hide(user);
    *hold = (UserHold){graph->users, user, 1};
    graph->users = hold;
    return 0;
}

CUresult
cuUserObjectCreate(CUuserObject *out, void *object, CUhostFn destroy, unsigned int count,
                   unsigned int flags)
{
    EMU_TRY_ENTER(cuUserObjectCreate);
    /* The one flag, no destructor synchronisation, must be given: this driver offers nothing else.
     */
    if (out == NULL || destroy == NULL || count == 0 || flags != 1) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    UserObject *user = user_new(object, destroy, (int)count);
    if (user == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *out = (CUuserObject)user;
    return 0;
}

/* A count of zero is an error; more than INT32_MAX would overflow the sum. */
static CUresult
get_user(CUuserObject handle, unsigned count, UserObject **out)
{
    *out = emu_handle_get(handle, KIND_USER_OBJECT);
    return *out != NULL && count > 0 && count <= INT32_MAX ? 0 : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuUserObjectRetain(CUuserObject handle, unsigned int count)
{
    UserObject *user;
    EMU_TRY_ENTER(cuUserObjectRetain);
    EMU_TRY(get_user(handle, count, &user));
    atomic_fetch_add(&user->holds, (int)count);
    return 0;
}

CUresult
cuUserObjectRelease(CUuserObject handle, unsigned int count)
{
    UserObject *user;
    EMU_TRY_ENTER(cuUserObjectRelease);
    EMU_TRY(get_user(handle, count, &user));
    user_release(user, (int)count);
    return 0;
}

CUresult
cuGraphRetainUserObject(CUgraph graph_handle, CUuserObject handle, unsigned int count,
                        unsigned int flags)
{
    enum { MOVE = 1 };
    UserObject *user;
    EMU_TRY_ENTER(cuGraphRetainUserObject);
    EMU_TRY(get_user(handle, count, &user));
    Graph *graph = emu_handle_get(graph_handle, KIND_GRAPH);
    if (graph == NULL || (flags & ~(unsigned)MOVE) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    UserHold *hold = malloc(sizeof *hold);
    if (hold == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* With MOVE the caller's holds become the graph's, and the sum stays. */
    *hold = (UserHold){graph->users, user, (int)count};
    graph->users = hold;
    if (!(flags & MOVE)) {
        atomic_fetch_add(&user->holds, (int)count);
    }
    return 0;
}

CUresult
cuGraphReleaseUserObject(CUgraph graph_handle, CUuserObject handle, unsigned int count)
{
    UserObject *user;
    EMU_TRY_ENTER(cuGraphReleaseUserObject);
    EMU_TRY(get_user(handle, count, &user));
    Graph *graph = emu_handle_get(graph_handle, KIND_GRAPH);
    /* Several entries of one object may exist; the first that is found is reduced. */
    for (UserHold **at = graph != NULL ? &graph->users : NULL; at != NULL && *at != NULL;
         at = &(*at)->next) {
        UserHold *hold = *at;
        if (hold->user == user) {
            /* More than it holds is as much as it holds. */
            count = (int)count < hold->count ? count : (unsigned)hold->count;
            hold->count -= (int)count;
            if (hold->count == 0) {
                *at = hold->next;
                free(hold);
            }
            user_release(user, (int)count);
            return 0;
        }
    }
    return graph != NULL ? 0 : CUDA_ERROR_INVALID_VALUE;
}
