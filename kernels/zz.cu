#include "knobs/zz.cuh"
extern "C" __global__ void to_bool(Raw<u8>*x, Raw<bool>*y){ *y = Out<bool,bool>::raw(In<u8,bool>::value(*x)); }
extern "C" __global__ void to_i8(Raw<u8>*x, Raw<i8>*y){ *y = Out<i8,i8>::raw(In<u8,i8>::value(*x)); }
extern "C" __global__ void to_u8(Raw<u8>*x, Raw<u8>*y){ *y = Out<u8,u8>::raw(In<u8,u8>::value(*x)); }
extern "C" __global__ void to_i16(Raw<u8>*x, Raw<i16>*y){ *y = Out<i16,i16>::raw(In<u8,i16>::value(*x)); }
extern "C" __global__ void to_u16(Raw<u8>*x, Raw<u16>*y){ *y = Out<u16,u16>::raw(In<u8,u16>::value(*x)); }
extern "C" __global__ void to_i32(Raw<u8>*x, Raw<i32>*y){ *y = Out<i32,i32>::raw(In<u8,i32>::value(*x)); }
extern "C" __global__ void to_u32(Raw<u8>*x, Raw<u32>*y){ *y = Out<u32,u32>::raw(In<u8,u32>::value(*x)); }
extern "C" __global__ void to_i64(Raw<u8>*x, Raw<i64>*y){ *y = Out<i64,i64>::raw(In<u8,i64>::value(*x)); }
extern "C" __global__ void to_u64(Raw<u8>*x, Raw<u64>*y){ *y = Out<u64,u64>::raw(In<u8,u64>::value(*x)); }
extern "C" __global__ void to_f16(Raw<u8>*x, Raw<f16>*y){ *y = Out<f16,f16>::raw(In<u8,f16>::value(*x)); }
extern "C" __global__ void to_bf16(Raw<u8>*x, Raw<bf16>*y){ *y = Out<bf16,bf16>::raw(In<u8,bf16>::value(*x)); }
extern "C" __global__ void to_f32(Raw<u8>*x, Raw<f32>*y){ *y = Out<f32,f32>::raw(In<u8,f32>::value(*x)); }
extern "C" __global__ void to_f64(Raw<u8>*x, Raw<f64>*y){ *y = Out<f64,f64>::raw(In<u8,f64>::value(*x)); }
extern "C" __global__ void to_c64(Raw<u8>*x, Raw<c64>*y){ *y = Out<c64,c64>::raw(In<u8,c64>::value(*x)); }
extern "C" __global__ void to_c128(Raw<u8>*x, Raw<c128>*y){ *y = Out<c128,c128>::raw(In<u8,c128>::value(*x)); }
