/* CUDA arrays, texture and surface objects: what lies behind the driver's handles.
 *
 * An array is pitched device memory whose address programs are not told; copies to and from it are
 * copies of boxes of that memory. Cubemaps, mipmaps, sparse arrays and block formats do not exist.
 * An object keeps what it was made of as data (EmuTexture), which kernels read by its handle; as on
 * a GPU, the array must outlive it, and a use after its end is found by the address.
 *
 * An array has no lock: what it consists of never changes after its creation. Texture reads are in
 * exec/exec_texture.c. */
#include "emu/driver/upward.h"

#include <stdlib.h>
#include <string.h>

/* Alignments that the device's attributes promise: TEXTURE_ALIGN for the address of linear and
 * pitched textures, PITCH_ALIGN for their rows. ROW_BYTES keeps the rows of arrays on cache lines.
 */
enum { ROW_BYTES = 128, TEXTURE_ALIGN = 512, PITCH_ALIGN = 32 };
/* Sizes after the table of technical specifications in the CUDA programming guide, compute
 * capability 9.0, with one bound for all dimensions of a shape. */
enum { MAX_1D = 131072, MAX_2D = 131072, MAX_3D = 16384, MAX_LAYERS = 2048 };
static const size_t MAX_LINEAR = (size_t)1 << 28;

/* `span` belongs to the array: cuArrayDestroy frees it. It goes with its context as well, and the
 * record then serves other allocations, whose ids differ from `span_id`. */
typedef struct {
    EmuHandle head;
    CUDA_ARRAY3D_DESCRIPTOR desc;
    EmuSpan *span;
    uint64_t span_id;
    size_t pitch, slice;
} Array;

/* Too large for a slot of handle.c, so the object points at it. */
typedef struct {
    EmuTexture view;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
} Description;

typedef struct {
    EmuHandle head;
    Description *about; /* owned */
} TextureObject;

/* ---- formats --------------------------------------------------------------------------------- */

/* Bytes of a channel; 0 for a format that is not here. */
static size_t
format_bytes(CUarray_format format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

/* Bytes of an element; 0 for one that no texture has. */
static size_t
element_bytes(CUarray_format format, unsigned channels)
{
    return channels == 1 || channels == 2 || channels == 4 ? format_bytes(format) * channels : 0;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Borrowed; NULL for anything that is no array, and for an array whose context has ended. */
static Array *
array_of(CUarray handle)
{
    Array *array = emu_handle_get(handle, KIND_ARRAY);
    int there = array != NULL && array->span->live && array->span->id == array->span_id;
    return there ? array : NULL;
}

/* Height 0 means one dimension, which layered arrays may have too. */
static size_t
rows_of(const Array *array)
{
    int layers_only = (array->desc.Flags & CUDA_ARRAY3D_LAYERED) && array->desc.Height == 0;
    return layers_only || array->desc.Height == 0 ? 1 : array->desc.Height;
}

static size_t
slices_of(const Array *array)
{
    return array->desc.Depth == 0 ? 1 : array->desc.Depth;
}

/* Shapes by the rules of cuArray3DCreate: the depth of a layered array counts its layers, and a
 * depth without a height exists for layers only. */
static CUresult
check_array(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    const unsigned known =
        CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER;
    if (d->Flags & ~known) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    int layered = (d->Flags & CUDA_ARRAY3D_LAYERED) != 0;
    size_t largest = d->Depth != 0 && !layered ? MAX_3D : d->Height != 0 ? MAX_2D : MAX_1D;
    if (element_bytes(d->Format, d->NumChannels) == 0 || d->Width == 0 || d->Width > largest ||
        d->Height > largest || d->Depth > (layered ? MAX_LAYERS : MAX_3D) ||
        (d->Depth != 0 && d->Height == 0 && !layered) || (layered && d->Depth == 0)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Gathering (tld4) is for two dimensions. */
    if ((d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER) && (d->Height == 0 || d->Depth != 0)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return 0;
}

/* The array is made first, so that a failed allocation leaves nothing behind. */
static CUresult
create(Context *context, CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
    EMU_TRY(check_array(desc));
    Array *array = emu_handle_new(KIND_ARRAY, sizeof *array, NULL);
    if (array == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    array->desc = *desc;
    /* Products fit 64 bits: the limits in check_array bound each factor. */
    size_t row = desc->Width * element_bytes(desc->Format, desc->NumChannels);
    array->pitch = (row + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
    array->slice = array->pitch * rows_of(array);
    CUresult result =
        emu_allocate(context, array->slice * slices_of(array), SPAN_DEVICE, &array->span);
    if (result != 0) {
        emu_handle_close(array);
        return result;
    }
    array->span_id = array->span->id;
    *out = (CUarray)array;
    return 0;
}

CUresult
cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
    Context *context;
    EMU_TRY_ENTER_UNCAPTURED(cuArray3DCreate_v2, context);
    return out != NULL && desc != NULL ? create(context, out, desc) : CUDA_ERROR_INVALID_VALUE;
}

/* The older description is one without depth and flags. */
CUresult
cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *desc)
{
    Context *context;
    EMU_TRY_ENTER_UNCAPTURED(cuArrayCreate_v2, context);
    if (out == NULL || desc == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUDA_ARRAY3D_DESCRIPTOR full = {.Width = desc->Width,
                                    .Height = desc->Height,
                                    .Format = desc->Format,
                                    .NumChannels = desc->NumChannels};
    return create(context, out, &full);
}

/* Waits for work that may use the memory, in emu_deallocate. Objects made of the array stay and
 * fault when they are used. */
CUresult
cuArrayDestroy(CUarray handle)
{
    Context *context;
    EMU_TRY_ENTER_UNCAPTURED(cuArrayDestroy, context);
    Array *array = array_of(handle);
    if (array == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    EmuSpan *span = array->span;
    emu_handle_close(array);
    return emu_deallocate(span);
}

/* Works without a context, as it only reads the description. */
CUresult
cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray handle)
{
    EMU_TRY_ENTER(cuArray3DGetDescriptor_v2);
    const Array *array = array_of(handle);
    if (out == NULL || array == NULL) {
        return array == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    }
    *out = array->desc;
    return 0;
}

CUresult
cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *out, CUarray handle)
{
    EMU_TRY_ENTER(cuArrayGetDescriptor_v2);
    const Array *array = array_of(handle);
    if (out == NULL || array == NULL) {
        return array == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    }
    *out = (CUDA_ARRAY_DESCRIPTOR){array->desc.Width, array->desc.Height, array->desc.Format,
                                   array->desc.NumChannels};
    return 0;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Where the box begins in an array, when all of it lies inside. Positions along a row are in bytes
 * and must hit elements; rows and slices are counted. */
static CUresult
inside(const Array *array, const size_t at[3], const CUDA_MEMCPY3D *p)
{
    size_t unit = element_bytes(array->desc.Format, array->desc.NumChannels);
    size_t row = array->desc.Width * unit;
    if (at[0] % unit != 0 || p->WidthInBytes % unit != 0 || at[0] > row ||
        p->WidthInBytes > row - at[0] || at[1] > rows_of(array) ||
        p->Height > rows_of(array) - at[1] || at[2] > slices_of(array) ||
        p->Depth > slices_of(array) - at[2]) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return 0;
}

/* Called by driver_copy.c for each copy that names an array, and before the box is checked, so an
 * array is checked like any device memory. The order of errors is the driver's: no array at all is
 * a wrong value, a stale one a wrong handle. */
CUresult
emu_array_resolve(CUDA_MEMCPY3D *p)
{
    if (p->srcMemoryType == CU_MEMORYTYPE_ARRAY) {
        const Array *array = array_of(p->srcArray);
        if (array == NULL) {
            return p->srcArray == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
        }
        EMU_TRY(inside(array, (size_t[]){p->srcXInBytes, p->srcY, p->srcZ}, p));
        p->srcMemoryType = CU_MEMORYTYPE_DEVICE;
        p->srcDevice = array->span->lo;
        p->srcPitch = array->pitch;
        p->srcHeight = rows_of(array);
    }
    if (p->dstMemoryType == CU_MEMORYTYPE_ARRAY) {
        const Array *array = array_of(p->dstArray);
        if (array == NULL) {
            return p->dstArray == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
        }
        EMU_TRY(inside(array, (size_t[]){p->dstXInBytes, p->dstY, p->dstZ}, p));
        p->dstMemoryType = CU_MEMORYTYPE_DEVICE;
        p->dstDevice = array->span->lo;
        p->dstPitch = array->pitch;
        p->dstHeight = rows_of(array);
    }
    return 0;
}

/* Lines of an array: `at` counts bytes from its beginning, row after row. cuMemcpyAtoH and its
 * relatives address an array as if its rows lay side by side. A copy may not pass the end of a row,
 * as the memory behind is padding. */
static CUresult
line_side(CUarray handle, size_t at, size_t bytes, size_t *x, size_t *y)
{
    const Array *array = array_of(handle);
    if (array == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    size_t row = array->desc.Width * element_bytes(array->desc.Format, array->desc.NumChannels);
    *x = at % row;
    *y = at / row;
    return bytes <= row - *x ? 0 : CUDA_ERROR_INVALID_VALUE;
}

/* Through the exported entries for boxes, so that these copies are counted and checked in one
 * place. */
static CUresult
copy_line(CUDA_MEMCPY3D *p, size_t bytes, CUstream stream, int wait)
{
    p->WidthInBytes = bytes;
    p->Height = p->Depth = 1;
    if (p->srcMemoryType == CU_MEMORYTYPE_ARRAY) {
        EMU_TRY(line_side(p->srcArray, p->srcXInBytes, bytes, &p->srcXInBytes, &p->srcY));
    }
    if (p->dstMemoryType == CU_MEMORYTYPE_ARRAY) {
        EMU_TRY(line_side(p->dstArray, p->dstXInBytes, bytes, &p->dstXInBytes, &p->dstY));
    }
    return wait ? cuMemcpy3D_v2(p) : cuMemcpy3DAsync_v2(p, stream);
}

/* Designated initialisers of one side. */
#define FROM_ARRAY(array, at)                                                                      \
    .srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = (array), .srcXInBytes = (at)
#define TO_ARRAY(array, at)                                                                        \
    .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = (array), .dstXInBytes = (at)

CUresult
cuMemcpyAtoH_v2(void *to, CUarray from, size_t at, size_t bytes)
{
    EMU_TRY_ENTER(cuMemcpyAtoH_v2);
    CUDA_MEMCPY3D p = {FROM_ARRAY(from, at), .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to};
    return copy_line(&p, bytes, NULL, 1);
}

CUresult
cuMemcpyHtoA_v2(CUarray to, size_t at, const void *from, size_t bytes)
{
    EMU_TRY_ENTER(cuMemcpyHtoA_v2);
    CUDA_MEMCPY3D p = {TO_ARRAY(to, at), .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = from};
    return copy_line(&p, bytes, NULL, 1);
}

CUresult
cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t at, size_t bytes)
{
    EMU_TRY_ENTER(cuMemcpyAtoD_v2);
    CUDA_MEMCPY3D p = {FROM_ARRAY(from, at), .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstDevice = to};
    return copy_line(&p, bytes, NULL, 1);
}

CUresult
cuMemcpyDtoA_v2(CUarray to, size_t at, CUdeviceptr from, size_t bytes)
{
    EMU_TRY_ENTER(cuMemcpyDtoA_v2);
    CUDA_MEMCPY3D p = {TO_ARRAY(to, at), .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = from};
    return copy_line(&p, bytes, NULL, 1);
}

CUresult
cuMemcpyAtoA_v2(CUarray to, size_t to_at, CUarray from, size_t from_at, size_t bytes)
{
    EMU_TRY_ENTER(cuMemcpyAtoA_v2);
    CUDA_MEMCPY3D p = {FROM_ARRAY(from, from_at), TO_ARRAY(to, to_at)};
    return copy_line(&p, bytes, NULL, 1);
}

CUresult
cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t at, size_t bytes, CUstream stream)
{
    EMU_TRY_ENTER(cuMemcpyAtoHAsync_v2);
    CUDA_MEMCPY3D p = {FROM_ARRAY(from, at), .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to};
    return copy_line(&p, bytes, stream, 0);
}

CUresult
cuMemcpyHtoAAsync_v2(CUarray to, size_t at, const void *from, size_t bytes, CUstream stream)
{
    EMU_TRY_ENTER(cuMemcpyHtoAAsync_v2);
    CUDA_MEMCPY3D p = {TO_ARRAY(to, at), .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = from};
    return copy_line(&p, bytes, stream, 0);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Checked when the object is made, as the driver does; kernels check the address again when they
 * read. */
static CUresult
view_memory(EmuTexture *view, uint64_t address, size_t bytes, CUarray_format format,
            unsigned channels)
{
    size_t unit = element_bytes(format, channels);
    EmuSpan *span = emu_find_any(address);
    if (unit == 0 || span == NULL || bytes == 0 || bytes > span->hi - address) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *view = (EmuTexture){.address = address,
                         .bytes = bytes,
                         .unit = (uint8_t)unit,
                         .channels = (uint8_t)channels,
                         .format = (uint8_t)format,
                         .size = {1, 1, 1}};
    return 0;
}

/* Layers are no third coordinate: the size of dimension 2 is 1 then, and `layers` bounds the index.
 */
static CUresult
view_array(EmuTexture *view, CUarray handle)
{
    const Array *array = array_of(handle);
    if (array == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(view_memory(view, array->span->lo, array->span->hi - array->span->lo,
                        array->desc.Format, array->desc.NumChannels));
    int layered = (array->desc.Flags & CUDA_ARRAY3D_LAYERED) != 0;
    view->pitch = array->pitch;
    view->slice = array->slice;
    view->size[0] = (uint32_t)array->desc.Width;
    view->size[1] = (uint32_t)rows_of(array);
    view->size[2] = layered ? 1 : (uint32_t)slices_of(array);
    view->layers = layered ? (uint32_t)slices_of(array) : 0;
    return 0;
}

/* What sorts of memory a texture can be made of, and their alignments. */
static CUresult
view_resource(EmuTexture *view, const CUDA_RESOURCE_DESC *p)
{
    if (p->flags != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch (p->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return view_array(view, p->res.array.hArray);
    case CU_RESOURCE_TYPE_LINEAR:
        EMU_TRY(view_memory(view, p->res.linear.devPtr, p->res.linear.sizeInBytes,
                            p->res.linear.format, p->res.linear.numChannels));
        /* The driver demands the alignment of the base address, since no offset is returned for
         * objects. */
        if (view->address % TEXTURE_ALIGN != 0 ||
            p->res.linear.sizeInBytes / view->unit > MAX_LINEAR) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        view->is_linear = 1;
        view->size[0] = (uint32_t)(p->res.linear.sizeInBytes / view->unit);
        return 0;
    case CU_RESOURCE_TYPE_PITCH2D: {
        size_t pitch = p->res.pitch2D.pitchInBytes;
        if (p->res.pitch2D.width == 0 || p->res.pitch2D.height == 0 ||
            p->res.pitch2D.width > MAX_2D || p->res.pitch2D.height > MAX_2D ||
            pitch % PITCH_ALIGN != 0) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        /* The last row needs no padding behind it. */
        size_t row =
            p->res.pitch2D.width * element_bytes(p->res.pitch2D.format, p->res.pitch2D.numChannels);
        EMU_TRY(view_memory(view, p->res.pitch2D.devPtr, pitch * (p->res.pitch2D.height - 1) + row,
                            p->res.pitch2D.format, p->res.pitch2D.numChannels));
        if (row > pitch || view->address % TEXTURE_ALIGN != 0) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        view->pitch = pitch;
        view->size[0] = (uint32_t)p->res.pitch2D.width;
        view->size[1] = (uint32_t)p->res.pitch2D.height;
        return 0;
    }
    default:
        return p->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY ? CUDA_ERROR_NOT_SUPPORTED
                                                              : CUDA_ERROR_INVALID_VALUE;
    }
}

/* How coordinates become addresses and values become results (CUDA programming guide, texture
 * fetching). */
static CUresult
view_sampling(EmuTexture *view, const CUDA_TEXTURE_DESC *p)
{
    int is_float = view->format == CU_AD_FORMAT_HALF || view->format == CU_AD_FORMAT_FLOAT;
    int is_word =
        view->format == CU_AD_FORMAT_UNSIGNED_INT32 || view->format == CU_AD_FORMAT_SIGNED_INT32;
    for (int i = 0; i < 3; i++) {
        if (p->addressMode[i] < CU_TR_ADDRESS_MODE_WRAP ||
            p->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        view->mode[i] = (uint8_t)p->addressMode[i];
    }
    if (p->filterMode != CU_TR_FILTER_MODE_POINT && p->filterMode != CU_TR_FILTER_MODE_LINEAR) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    view->filter = (uint8_t)p->filterMode;
    /* Words are never normalised. Normalised reads are for 8 and 16 bits. */
    view->as_integer = !is_float && (is_word || (p->flags & CU_TRSF_READ_AS_INTEGER) != 0);
    view->normalized = (p->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    /* sRGB conversion applies to 8 bits only and is ignored elsewhere. */
    view->srgb = (p->flags & CU_TRSF_SRGB) != 0 && view->format == CU_AD_FORMAT_UNSIGNED_INT8;
    memcpy(view->border, p->borderColor, sizeof view->border);
    /* Linear filtering needs values that are floating point after reading. */
    if (view->filter == CU_TR_FILTER_MODE_LINEAR && view->as_integer) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return 0;
}

static void
object_destroy(void *object)
{
    free(((TextureObject *)object)->about);
}

/* Resource and texture descriptions are kept, so that programs read back exactly what they gave. */
static CUresult
new_object(TextureObject **out, const CUDA_RESOURCE_DESC *resource,
           const CUDA_TEXTURE_DESC *texture)
{
    EmuTexture view = {0};
    EMU_TRY(view_resource(&view, resource));
    if (texture != NULL) {
        EMU_TRY(view_sampling(&view, texture));
    }
    TextureObject *object = emu_handle_new(KIND_TEXTURE, sizeof *object, object_destroy);
    Description *about = object != NULL ? calloc(1, sizeof *about) : NULL;
    if (about == NULL) {
        if (object != NULL) {
            emu_handle_close(object);
        }
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    view.is_surface = texture == NULL;
    about->view = view;
    about->resource = *resource;
    if (texture != NULL) {
        about->texture = *texture;
    }
    object->about = about;
    *out = object;
    return 0;
}

/* The object of a handle; surfaces and textures are told apart. One kind of handle serves both, so
 * the view says which it is. */
static TextureObject *
object_of(uint64_t handle, int is_surface)
{
    TextureObject *object = emu_handle_get((const void *)(uintptr_t)handle, KIND_TEXTURE);
    return object != NULL && object->about->view.is_surface == is_surface ? object : NULL;
}

/* Called by kernels on any thread for each use of a handle, without a lock. The program keeps the
 * object alive while a kernel uses it. */
const EmuTexture *
emu_texture_find(uint64_t handle)
{
    const TextureObject *object = emu_handle_get((const void *)(uintptr_t)handle, KIND_TEXTURE);
    return object != NULL ? &object->about->view : NULL;
}

/* Resource views, which reinterpret a format, are not supported. */
CUresult
cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *resource,
                  const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view)
{
    Context *context;
    TextureObject *object;
    EMU_TRY_ENTER_CONTEXT(cuTexObjectCreate, context);
    if (out == NULL || resource == NULL || texture == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (view != NULL) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    EMU_TRY(new_object(&object, resource, texture));
    *out = (CUtexObject)(uintptr_t)object;
    return 0;
}

CUresult
cuTexObjectDestroy(CUtexObject handle)
{
    EMU_TRY_ENTER(cuTexObjectDestroy);
    TextureObject *object = object_of(handle, 0);
    if (object == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    emu_handle_close(object);
    return 0;
}

CUresult
cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUtexObject handle)
{
    EMU_TRY_ENTER(cuTexObjectGetResourceDesc);
    const TextureObject *object = object_of(handle, 0);
    if (out == NULL || object == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = object->about->resource;
    return 0;
}

CUresult
cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out, CUtexObject handle)
{
    EMU_TRY_ENTER(cuTexObjectGetTextureDesc);
    const TextureObject *object = object_of(handle, 0);
    if (out == NULL || object == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = object->about->texture;
    return 0;
}

CUresult
cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *out, CUtexObject handle)
{
    EMU_TRY_ENTER(cuTexObjectGetResourceViewDesc);
    if (out == NULL || object_of(handle, 0) == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_ERROR_INVALID_VALUE; /* none has a view */
}

/* Surfaces exist on arrays alone. */
CUresult
cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *resource)
{
    Context *context;
    TextureObject *object;
    EMU_TRY_ENTER_CONTEXT(cuSurfObjectCreate, context);
    if (out == NULL || resource == NULL || resource->resType != CU_RESOURCE_TYPE_ARRAY) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* As an H200's driver, this takes arrays that were not made for surfaces too. */
    EMU_TRY(new_object(&object, resource, NULL));
    *out = (CUsurfObject)(uintptr_t)object;
    return 0;
}

CUresult
cuSurfObjectDestroy(CUsurfObject handle)
{
    EMU_TRY_ENTER(cuSurfObjectDestroy);
    TextureObject *object = object_of(handle, 1);
    if (object == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    emu_handle_close(object);
    return 0;
}

CUresult
cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUsurfObject handle)
{
    EMU_TRY_ENTER(cuSurfObjectGetResourceDesc);
    const TextureObject *object = object_of(handle, 1);
    if (out == NULL || object == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = object->about->resource;
    return 0;
}

CUresult
cuDeviceGetTexture1DLinearMaxWidth(size_t *out, CUarray_format format, unsigned int channels,
                                   CUdevice device)
{
    EMU_TRY_ENTER(cuDeviceGetTexture1DLinearMaxWidth);
    (void)device;
    if (out == NULL || element_bytes(format, channels) == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = MAX_LINEAR;
    return 0;
}
