/* gpunp.cuda.runtime: arrays, copies of two and three dimensions to and from them, texture and
 * surface objects. cudart's descriptions, which gpunp.cuda.texture holds, become the driver's.
 *
 * The structs below have cudart's layout, because programs fill them through ctypes or through the
 * classes of gpunp.cuda.texture and pass their addresses. They are read during the call only.
 */
#include "rt/runtime.h"

#include <string.h>

/* ---- cudart's structures --------------------------------------------------------------------- */

typedef struct {
    int bits[4];
    int kind; /* cudaChannelFormatKind */
} ChannelDesc;

typedef struct {
    int type; /* cudaResourceType, the driver's numbers */
    union {
        CUarray array;
        struct {
            CUdeviceptr ptr;
            ChannelDesc channels;
            size_t bytes;
        } linear;
        struct {
            CUdeviceptr ptr;
            ChannelDesc channels;
            size_t width, height, pitch;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} ResourceDesc;

typedef struct {
    int address_mode[3], filter_mode, read_mode, srgb;
    float border[4];
    int normalized;
    unsigned max_anisotropy;
    int mipmap_filter_mode;
    float mipmap_bias, mipmap_low, mipmap_high;
    int no_trilinear_optimization, seamless_cubemap;
} TextureDesc;

typedef struct {
    void *ptr;
    size_t pitch, xsize, ysize;
} PitchedPtr;

typedef struct {
    CUarray src_array;
    size_t src_pos[3];
    PitchedPtr src;
    CUarray dst_array;
    size_t dst_pos[3];
    PitchedPtr dst;
    size_t extent[3];
    int kind;
} Copy3D;

enum { SIGNED, UNSIGNED, FLOAT };

/* The driver's element format and number of channels. cudart describes each channel's bits; the
 * driver has one format and a count, so all channels must be alike and come first. Three are not
 * supported by the hardware. */
static int
read_channels(const ChannelDesc *desc, CUarray_format *format, unsigned *count)
{
    static const CUarray_format formats[3][3] = {
        {CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32},
        {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32},
        {0, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT},
    };
    int size = desc->bits[0] == 8 ? 0 : desc->bits[0] == 16 ? 1 : desc->bits[0] == 32 ? 2 : -1;
    *count = 0;
    while (*count < 4 && desc->bits[*count] == desc->bits[0] && desc->bits[0] != 0) {
        ++*count;
    }
    int rest = 0;
    for (unsigned i = *count; i < 4; i++) {
        rest |= desc->bits[i];
    }
    *format =
        size >= 0 && desc->kind >= SIGNED && desc->kind <= FLOAT ? formats[desc->kind][size] : 0;
    if (*format == 0 || rest != 0 || *count == 0 || *count == 3) {
        return gnp_runtime_raise(20, "a channel format: 1, 2 or 4 channels of the same 8, 16 or 32 "
                                     "bits"); /* cudaErrorInvalidChannelDescriptor */
    }
    return 0;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Width and height are elements; a height or depth of 0 makes the array one- or two-dimensional. */
static PyObject *
make_array(const uint64_t n[5])
{
    CUDA_ARRAY3D_DESCRIPTOR desc = {
        .Width = n[1], .Height = n[2], .Depth = n[3], .Flags = (unsigned)n[4]};
    CUarray array = NULL;
    GNP_TRY(read_channels(gnp_host_of(n[0]), &desc.Format, &desc.NumChannels));
    RT_TRY_WAIT(cuArray3DCreate_v2(&array, &desc));
    return gnp_from_pointer(array);
fail:
    return NULL;
}

static PyObject *
mallocArray(PARAMS)
{
    uint64_t n[4] = {0};
    BIND_OR_RETURN("mallocArray(descPtr, width, height, flags: unsigned=0)")
    return make_array((uint64_t[]){n[0], n[1], n[2], 0, n[3]});
}

static PyObject *
malloc3DArray(PARAMS)
{
    uint64_t n[5] = {0};
    BIND_OR_RETURN("malloc3DArray(descPtr, width, height, depth, flags: unsigned=0)")
    return make_array(n);
}

/* Polls first, as free() does: the driver would wait for the device uninterruptibly. */
static PyObject *
freeArray(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("freeArray(ptr)")
    if (n[0] != 0) {
        GNP_TRY(gnp_wait_before(device));
        RT_TRY_WAIT(cuArrayDestroy(gnp_host_of(n[0])));
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* `kind` is cudaMemcpyKind: 0 host to host, 1 to the device, 2 to the host, 3 between devices, 4 by
 * address. */
static CUmemorytype
source_type(int kind)
{
    return kind == 0 || kind == 1 ? CU_MEMORYTYPE_HOST
           : kind == 4            ? CU_MEMORYTYPE_UNIFIED
                                  : CU_MEMORYTYPE_DEVICE;
}

static CUmemorytype
target_type(int kind)
{
    return kind == 0 || kind == 2 ? CU_MEMORYTYPE_HOST
           : kind == 4            ? CU_MEMORYTYPE_UNIFIED
                                  : CU_MEMORYTYPE_DEVICE;
}

/* Copies that read pageable memory return when it may change; those that write it, when it is
 * written. */
static PyObject *
copy_2d(const CUDA_MEMCPY2D *copy, int is_async, CUstream stream)
{
    if (is_async) {
        RT_TRY_SUBMIT_WAIT(stream, cuMemcpy2DAsync_v2(copy, stream));
    }
    else {
        if (gnp_wait_stream(NULL, "memcpy2D") < 0) {
            return NULL;
        }
        RT_TRY_WAIT(cuMemcpy2DUnaligned_v2(copy));
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* dst, wOffset, hOffset, src, spitch, width, height, kind. The element order is that of the
 * arguments of the function, by which n[] is indexed. */
static CUDA_MEMCPY2D
to_array(const uint64_t n[8])
{
    return (CUDA_MEMCPY2D){.dstMemoryType = CU_MEMORYTYPE_ARRAY,
                           .dstArray = gnp_host_of(n[0]),
                           .dstXInBytes = n[1],
                           .dstY = n[2],
                           .srcMemoryType = source_type((int)n[7]),
                           .srcHost = gnp_host_of(n[3]),
                           .srcDevice = n[3],
                           .srcPitch = n[4],
                           .WidthInBytes = n[5],
                           .Height = n[6]};
}

/* dst, dpitch, src, wOffset, hOffset, width, height, kind */
static CUDA_MEMCPY2D
from_array(const uint64_t n[8])
{
    return (CUDA_MEMCPY2D){.dstMemoryType = target_type((int)n[7]),
                           .dstHost = gnp_host_of(n[0]),
                           .dstDevice = n[0],
                           .dstPitch = n[1],
                           .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = gnp_host_of(n[2]),
                           .srcXInBytes = n[3],
                           .srcY = n[4],
                           .WidthInBytes = n[5],
                           .Height = n[6]};
}

static PyObject *
memcpy2DToArray(PARAMS)
{
    uint64_t n[8] = {0};
    BIND_OR_RETURN("memcpy2DToArray(dst, wOffset, hOffset, src, spitch, width, height, kind: int)")
    CUDA_MEMCPY2D copy = to_array(n);
    return copy_2d(&copy, 0, NULL);
}

static PyObject *
memcpy2DToArrayAsync(PARAMS)
{
    uint64_t n[9] = {0};
    BIND_OR_RETURN(
        "memcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind: int, "
        "stream)")
    CUDA_MEMCPY2D copy = to_array(n);
    return copy_2d(&copy, 1, gnp_stream_of(n[8]));
}

static PyObject *
memcpy2DFromArray(PARAMS)
{
    uint64_t n[8] = {0};
    BIND_OR_RETURN(
        "memcpy2DFromArray(dst, dpitch, src, wOffset, hOffset, width, height, kind: int)")
    CUDA_MEMCPY2D copy = from_array(n);
    return copy_2d(&copy, 0, NULL);
}

static PyObject *
memcpy2DFromArrayAsync(PARAMS)
{
    uint64_t n[9] = {0};
    BIND_OR_RETURN(
        "memcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind: int, "
        "stream)")
    CUDA_MEMCPY2D copy = from_array(n);
    return copy_2d(&copy, 1, gnp_stream_of(n[8]));
}

/* Only the formats that read_channels() can produce. */
static size_t
channel_bytes(CUarray_format format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    default:
        return 4;
    }
}

/* Bytes of an element of the array; 1 when there is none, since extents are bytes then. */
static int
element_bytes(const Copy3D *p, size_t *bytes)
{
    CUDA_ARRAY3D_DESCRIPTOR desc;
    CUarray array = p->src_array != NULL ? p->src_array : p->dst_array;
    *bytes = 1;
    if (array != NULL) {
        RT_TRY(cuArray3DGetDescriptor_v2(&desc, array));
        *bytes = desc.NumChannels * channel_bytes(desc.Format);
    }
    return 0;
fail:
    return -1;
}

/* cudart counts offsets and extents in elements where an array takes part, the driver always in
 * bytes. */
static int
describe_3d(const Copy3D *p, CUDA_MEMCPY3D *copy)
{
    size_t unit;
    if (element_bytes(p, &unit) < 0) {
        return -1;
    }
    *copy = (CUDA_MEMCPY3D){
        .srcXInBytes = p->src_pos[0] * (p->src_array != NULL ? unit : 1),
        .srcY = p->src_pos[1],
        .srcZ = p->src_pos[2],
        .srcMemoryType = p->src_array != NULL ? CU_MEMORYTYPE_ARRAY : source_type(p->kind),
        .srcHost = p->src.ptr,
        .srcDevice = (CUdeviceptr)(uintptr_t)p->src.ptr,
        .srcArray = p->src_array,
        .srcPitch = p->src.pitch,
        .srcHeight = p->src.ysize,
        .dstXInBytes = p->dst_pos[0] * (p->dst_array != NULL ? unit : 1),
        .dstY = p->dst_pos[1],
        .dstZ = p->dst_pos[2],
        .dstMemoryType = p->dst_array != NULL ? CU_MEMORYTYPE_ARRAY : target_type(p->kind),
        .dstHost = p->dst.ptr,
        .dstDevice = (CUdeviceptr)(uintptr_t)p->dst.ptr,
        .dstArray = p->dst_array,
        .dstPitch = p->dst.pitch,
        .dstHeight = p->dst.ysize,
        .WidthInBytes = p->extent[0] * unit,
        .Height = p->extent[1],
        .Depth = p->extent[2],
    };
    return 0;
}

/* The argument is the address of a cudaMemcpy3DParms. */
static PyObject *
memcpy3D(PARAMS)
{
    uint64_t n[1] = {0};
    CUDA_MEMCPY3D copy;
    BIND_OR_RETURN("memcpy3D(Memcpy3DParmsPtr)")
    GNP_TRY(describe_3d(gnp_host_of(n[0]), &copy));
    GNP_TRY(gnp_wait_stream(NULL, "memcpy3D"));
    RT_TRY_WAIT(cuMemcpy3D_v2(&copy));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
memcpy3DAsync(PARAMS)
{
    uint64_t n[2] = {0};
    CUDA_MEMCPY3D copy;
    BIND_OR_RETURN("memcpy3DAsync(Memcpy3DParmsPtr, stream)")
    GNP_TRY(describe_3d(gnp_host_of(n[0]), &copy));
    RT_TRY_SUBMIT_COPY(gnp_stream_of(n[1]), cuMemcpy3DAsync_v2(&copy, gnp_stream_of(n[1])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* ---- textures and surfaces ------------------------------------------------------------------- */

/* The union is read by its type; a mipmapped array has a handle at the same place as an array. */
static int
read_resource(const ResourceDesc *p, CUDA_RESOURCE_DESC *out)
{
    *out = (CUDA_RESOURCE_DESC){.resType = p->type, .flags = p->flags};
    switch (p->type) {
    case CU_RESOURCE_TYPE_LINEAR:
        out->res.linear.devPtr = p->res.linear.ptr;
        out->res.linear.sizeInBytes = p->res.linear.bytes;
        return read_channels(&p->res.linear.channels, &out->res.linear.format,
                             &out->res.linear.numChannels);
    case CU_RESOURCE_TYPE_PITCH2D:
        out->res.pitch2D.devPtr = p->res.pitch2D.ptr;
        out->res.pitch2D.width = p->res.pitch2D.width;
        out->res.pitch2D.height = p->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = p->res.pitch2D.pitch;
        return read_channels(&p->res.pitch2D.channels, &out->res.pitch2D.format,
                             &out->res.pitch2D.numChannels);
    default:
        out->res.array.hArray = p->res.array;
        return 0;
    }
}

/* cudart's booleans become bits of the driver's flags. */
static CUDA_TEXTURE_DESC
read_texture(const TextureDesc *p)
{
    CUDA_TEXTURE_DESC out = {
        .filterMode = p->filter_mode,
        .flags = (p->read_mode == 0 ? CU_TRSF_READ_AS_INTEGER : 0u) |
                 (p->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                 (p->srgb ? CU_TRSF_SRGB : 0u) |
                 (p->no_trilinear_optimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
                 (p->seamless_cubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u),
        .maxAnisotropy = p->max_anisotropy,
        .mipmapFilterMode = p->mipmap_filter_mode,
        .mipmapLevelBias = p->mipmap_bias,
        .minMipmapLevelClamp = p->mipmap_low,
        .maxMipmapLevelClamp = p->mipmap_high,
    };
    memcpy(out.addressMode, p->address_mode, sizeof out.addressMode);
    memcpy(out.borderColor, p->border, sizeof out.borderColor);
    return out;
}

static PyObject *
createTextureObject(PARAMS)
{
    uint64_t n[2] = {0};
    CUDA_RESOURCE_DESC resource;
    CUtexObject object = 0;
    BIND_OR_RETURN("createTextureObject(ResDescPtr, TexDescPtr)")
    GNP_TRY(read_resource(gnp_host_of(n[0]), &resource));
    CUDA_TEXTURE_DESC texture = read_texture(gnp_host_of(n[1]));
    RT_TRY_WAIT(cuTexObjectCreate(&object, &resource, &texture, NULL));
    return PyLong_FromUnsignedLongLong(object);
fail:
    return NULL;
}

static PyObject *
destroyTextureObject(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("destroyTextureObject(texObject)")
    RT_TRY_WAIT(cuTexObjectDestroy(n[0]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
createSurfaceObject(PARAMS)
{
    uint64_t n[1] = {0};
    CUDA_RESOURCE_DESC resource;
    CUsurfObject object = 0;
    BIND_OR_RETURN("createSurfaceObject(ResDescPtr)")
    GNP_TRY(read_resource(gnp_host_of(n[0]), &resource));
    RT_TRY_WAIT(cuSurfObjectCreate(&object, &resource));
    return PyLong_FromUnsignedLongLong(object);
fail:
    return NULL;
}

static PyObject *
destroySurfaceObject(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("destroySurfaceObject(surfObject)")
    RT_TRY_WAIT(cuSurfObjectDestroy(n[0]));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* From a destructor: on its device, silent when the device was closed; the object is freed whatever
 * else fails. The kind is "array", "texture" or "surface". */
PyObject *
gnp_release_texture(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    const char *kind = nargs == 3 ? PyUnicode_AsUTF8(args[0]) : "";
    uint64_t handle = 0;
    int device_id = 0;
    if (kind == NULL ||
        (nargs == 3 && (gnp_uint64_from_object(args[1], "handle", &handle) < 0 ||
                        gnp_int_from_object(args[2], "device_id", &device_id) < 0))) {
        return NULL;
    }
    GnpDevice *device = gnp_device_if_open(device_id);
    if (handle == 0 || device == NULL || gnp_is_closing()) {
        Py_RETURN_NONE;
    }
    CUcontext before = NULL;
    CU_DROP(cuCtxGetCurrent(&before));
    CU_DROP(cuCtxSetCurrent(device->context));
    if (*kind == 'a') {
        CU_DROP_WAIT(cuArrayDestroy(gnp_host_of(handle)));
    }
    else if (*kind == 't') {
        CU_DROP_WAIT(cuTexObjectDestroy(handle));
    }
    else {
        CU_DROP_WAIT(cuSurfObjectDestroy(handle));
    }
    CU_DROP(cuCtxSetCurrent(before));
    Py_RETURN_NONE;
}

PyMethodDef gnp_runtime_texture_functions[] = {
    MANY(mallocArray, mallocArray, "descPtr, width, height, flags=0",
         P_descPtr P_width P_height P_flags, "int\n    Handle of the array.",
         "Allocate a CUDA array of one or two dimensions."),
    MANY(malloc3DArray, malloc3DArray, "descPtr, width, height, depth, flags=0",
         P_descPtr P_width P_height P_depth P_flags, "int\n    Handle of the array.",
         "Allocate a CUDA array of up to three dimensions."),
    MANY(freeArray, freeArray, "ptr", P_ptr, "None", "Free a CUDA array."),
    MANY(memcpy2DToArray, memcpy2DToArray,
         "dst, wOffset, hOffset, src, spitch, width, height, kind",
         P_dst P_wOffset P_hOffset P_src P_spitch P_width P_height P_kind, "None",
         "Copy rows of memory to a CUDA array synchronously."),
    MANY(memcpy2DToArrayAsync, memcpy2DToArrayAsync,
         "dst, wOffset, hOffset, src, spitch, width, height, kind, stream",
         P_dst P_wOffset P_hOffset P_src P_spitch P_width P_height P_kind P_stream, "None",
         "Copy rows of memory to a CUDA array in stream order."),
    MANY(memcpy2DFromArray, memcpy2DFromArray,
         "dst, dpitch, src, wOffset, hOffset, width, height, kind",
         P_dst P_dpitch P_src P_wOffset P_hOffset P_width P_height P_kind, "None",
         "Copy rows of memory from a CUDA array synchronously."),
    MANY(memcpy2DFromArrayAsync, memcpy2DFromArrayAsync,
         "dst, dpitch, src, wOffset, hOffset, width, height, kind, stream",
         P_dst P_dpitch P_src P_wOffset P_hOffset P_width P_height P_kind P_stream, "None",
         "Copy rows of memory from a CUDA array in stream order."),
    MANY(memcpy3D, memcpy3D, "Memcpy3DParmsPtr", P_Memcpy3DParmsPtr, "None",
         "Copy a box of memory or of a CUDA array synchronously."),
    MANY(memcpy3DAsync, memcpy3DAsync, "Memcpy3DParmsPtr, stream", P_Memcpy3DParmsPtr P_stream,
         "None", "Copy a box of memory or of a CUDA array in stream order."),
    MANY(createTextureObject, createTextureObject, "ResDescPtr, TexDescPtr",
         P_ResDescPtr P_TexDescPtr, "int\n    Handle of the object.", "Create a texture object."),
    MANY(destroyTextureObject, destroyTextureObject, "texObject", P_texObject, "None",
         "Destroy a texture object."),
    MANY(createSurfaceObject, createSurfaceObject, "ResDescPtr", P_ResDescPtr,
         "int\n    Handle of the object.", "Create a surface object."),
    MANY(destroySurfaceObject, destroySurfaceObject, "surfObject", P_surfObject, "None",
         "Destroy a surface object."),
    {NULL, NULL, 0, NULL},
};
