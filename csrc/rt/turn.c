/* Waiting for other threads of this process with the GIL released. Polling: all of it is rare and
 * short. */
#include "rt/rt.h"

#include <time.h>

#define PAUSE_NS 50000

void
gnp_pause_without_gil(int64_t ns)
{
    const struct timespec pause = {0, ns};
    GNP_NOGIL(nanosleep(&pause, NULL));
}

void
gnp_turn_take(GnpTurn *turn)
{
    while (turn->is_taken) {
        gnp_pause_without_gil(PAUSE_NS);
    }
    turn->is_taken = 1;
}

void
gnp_turn_end(GnpTurn *turn)
{
    turn->is_taken = 0;
}
