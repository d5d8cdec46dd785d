// segments_keys: keys[i] = the place of label i in the table, or the number of labels where it is absent.
// Launch: a thread per element.
#include "knobs/segments_keys.cuh"
#include "ndimage/segments.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
segments_keys(const Raw<K> *labels, const Raw<X> *values, i32 *keys, const GnpSegments s)
{
    const Table table(values, s.labels);
    const i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (i < s.size) {
        const i32 place = table.find(labels[i]);
        keys[i] = place < 0 ? (i32)s.labels : place;
    }
}
