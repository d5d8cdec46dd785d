// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/bessel_modified01.py.
#ifndef GNP_SPECIAL_BESSEL_MODIFIED01_FITS_CUH
#define GNP_SPECIAL_BESSEL_MODIFIED01_FITS_CUH

#include "gnp.cuh"

namespace special {

// I0(x)/x^0, a polynomial in x^2 for |x| <= 8.
static __constant__ f64 I0_SMALL[] = {
    0x1p+0, 0x1p-2, 0x1p-6, 0x1.c71c71c71c717p-12, 0x1.c71c71c71c7bbp-18, 0x1.23456789ab316p-24,
    0x1.02e85c08a511ap-31, 0x1.522a43f50251cp-39, 0x1.522a440fc9ea1p-47, 0x1.0b313127ca571p-55, 0x1.5601a482b42e6p-64,
    0x1.69c8f758976ep-73, 0x1.41a9c00243576p-82, 0x1.e60615642d78ep-92, 0x1.445fb52a85ce9p-101,
    0x1.3c43bd942ec47p-111, 0x1.15ef283970d75p-120,
};

// sqrt(x) exp(-x) I0(x), a polynomial in 16/x - 1 for x >= 8.
static __constant__ f64 I0_LARGE[] = {
    0x1.9bd428ad249a5p-2, 0x1.b87969bb93b61p-9, 0x1.1daa72b5d2f1fp-13, 0x1.75e5ee726484ap-17, 0x1.8e513bf45d3dcp-20,
    0x1.3f49a527ede1ap-22, 0x1.7d0d469824855p-24, 0x1.51cf75ae3dc5bp-25, 0x1.727a246bb7d09p-26, 0x1.0378707f4d3a8p-27,
    -0x1.d627c9eb71bfep-28, -0x1.cc49d95b5156ep-27, -0x1.5bc02615c8d87p-28, 0x1.0259837d1f561p-27,
    0x1.c5ad0c766adc2p-28, -0x1.d9e20a42eaf01p-29, -0x1.3dde9de4adbep-28, 0x1.8fe8326f2c1c4p-30,
    0x1.331092105824bp-29, -0x1.20ee1daf7b2cbp-31, -0x1.754d656b9a534p-31, 0x1.274f50442b07p-33,
    0x1.a8704e04d8be1p-34, -0x1.2b91a0f0ba7fdp-36,
};

// I0(x)/x^0, a polynomial in x^2 for x <= 1.
static __constant__ f64 I0_UNIT[] = {
    0x1p+0, 0x1.0000000000001p-2, 0x1.ffffffffffe5dp-7, 0x1.c71c71c7371c4p-12, 0x1.c71c71ac8f907p-18,
    0x1.234575dae7d67p-24, 0x1.02dfd341806fbp-31, 0x1.5772e9631b0dp-39,
};

// K0(x) without its logarithm and pole, a polynomial in x^2 for x <= 1.
static __constant__ f64 K0_UNIT[] = {
    0x1.dadb014541eb2p-4, 0x1.1dadb014541ecp-2, 0x1.9dadb01454041p-6, 0x1.bb90e85e09924p-11, 0x1.f47476772ef61p-17,
    0x1.5d6b25bbd6b6cp-23, 0x1.4c202b270b698p-30, 0x1.d1417b07a2d9dp-38,
};

// sqrt(x) exp(x) K0(x), a polynomial in (8/x - 5)/3 for 1 < x <= 4.
static __constant__ f64 K0_MIDDLE[] = {
    0x1.2d74d36bb8e9fp+0, -0x1.2a6b9c7d3590ap-5, 0x1.f7048cc0be824p-9, -0x1.3f07ce30e58e9p-11, 0x1.f7fd6edad91f5p-14,
    -0x1.ca5ef6f9d57a1p-16, 0x1.ccaf892251fa1p-18, -0x1.f33ef13146cf9p-20, 0x1.1f0c20c1085b4p-21,
    -0x1.5a62126c3e1b6p-23, 0x1.b342521e9fcddp-25, -0x1.1af96219f8ef9p-26, 0x1.7813a71ba968ap-28,
    -0x1.00b928774e5e3p-29, 0x1.86bea6d2e2577p-31, -0x1.231a09ea7f23fp-32, 0x1.b73bb26de9066p-35,
    -0x1.d93ae2de86634p-37, 0x1.dc37fbf49c53ep-36, -0x1.915de485b5877p-37,
};

// sqrt(x) exp(x) K0(x), a polynomial in 8/x - 1 for x > 4.
static __constant__ f64 K0_LARGE[] = {
    0x1.3c261a172d207p+0, -0x1.1ad09c5c420b7p-6, 0x1.024ae84e95152p-10, -0x1.90fb7e258c908p-14, 0x1.a7b7da0cfa04cp-17,
    -0x1.14224b2c7547ep-19, 0x1.a454c45b31025p-22, -0x1.6911ea181a08dp-24, 0x1.56145bef1abe7p-26,
    -0x1.5f937615853bcp-28, 0x1.8255c61f8f85cp-30, -0x1.c23664cc156f4p-32, 0x1.1fa0f6a78d5d2p-33,
    -0x1.7dd5a8e068979p-35, 0x1.59f352fc6d037p-37, -0x1.7a4861c56c82p-39, 0x1.ecd50fe23b717p-39,
    -0x1.9fd17cd87c5fcp-40,
};

// I0(x)/x^0, a polynomial in x^2 for |x| <= 8.
static __device__ constexpr f32 I0_SMALL_F32[] = {
    0x1p+0f, 0x1.000004p-2f, 0x1.ffff94p-7f, 0x1.c720cp-12f, 0x1.c6f3bap-18f, 0x1.24144p-24f, 0x1.fc5c8ap-32f,
    0x1.72ba9ap-39f, 0x1.a30f8p-48f, 0x1.079b88p-54f,
};

// sqrt(x) exp(-x) I0(x), a polynomial in 16/x - 1 for x >= 8.
static __device__ constexpr f32 I0_LARGE_F32[] = {
    0x1.9bd428p-2f, 0x1.b8796cp-9f, 0x1.1dab0ap-13f, 0x1.75cbeep-17f, 0x1.8c3ca4p-20f, 0x1.499888p-22f,
    0x1.d2d644p-24f, 0x1.116554p-25f,
};

// I0(x)/x^0, a polynomial in x^2 for x <= 1.
static __device__ constexpr f32 I0_UNIT_F32[] = {
    0x1p+0f, 0x1p-2f, 0x1.000038p-6f, 0x1.c6f516p-12f, 0x1.d27c38p-18f,
};

// K0(x) without its logarithm and pole, a polynomial in x^2 for x <= 1.
static __device__ constexpr f32 K0_UNIT_F32[] = {
    0x1.dadb02p-4f, 0x1.1dadbp-2f, 0x1.9dae1ap-6f, 0x1.bb672cp-11f, 0x1.00b336p-16f,
};

// sqrt(x) exp(x) K0(x), a polynomial in (8/x - 5)/3 for 1 < x <= 4.
static __device__ constexpr f32 K0_MIDDLE_F32[] = {
    0x1.2d74d4p+0f, -0x1.2a6b96p-5f, 0x1.f70a1ep-9f, -0x1.3f1a1ap-11f, 0x1.f498d2p-14f, -0x1.c3590ep-16f,
    0x1.0fc418p-17f, -0x1.39498ap-19f,
};

// sqrt(x) exp(x) K0(x), a polynomial in 8/x - 1 for x > 4.
static __device__ constexpr f32 K0_LARGE_F32[] = {
    0x1.3c261ap+0f, -0x1.1ad0a8p-6f, 0x1.024b8p-10f, -0x1.90a336p-14f, 0x1.a67bc2p-17f, -0x1.2997f2p-19f,
    0x1.d9b41ap-22f,
};

// I1(x)/x^1, a polynomial in x^2 for |x| <= 8.
static __constant__ f64 I1_SMALL[] = {
    0x1p-1, 0x1p-4, 0x1.5555555555555p-9, 0x1.c71c71c71c71ap-15, 0x1.6c16c16c16c51p-21, 0x1.845c8a0ce4a85p-28,
    0x1.27e4fb7791d35p-35, 0x1.522a43f588e8ap-43, 0x1.2c9758e98d6fbp-51, 0x1.ab81e8f17cadbp-60, 0x1.f176b586c7cf7p-69,
    0x1.e261cdd94ea4ap-78, 0x1.8be03d77287c1p-87, 0x1.15d4594296d1dp-96, 0x1.59320b037cbedp-106,
    0x1.400dac70481ccp-116, 0x1.018d86eaae65ep-125,
};

// sqrt(x) exp(-x) I1(x), a polynomial in 16/x - 1 for x >= 8.
static __constant__ f64 I1_LARGE[] = {
    0x1.8ebe783a8403p-2, -0x1.3f796198ee626p-7, -0x1.cbc54df1d8acp-13, -0x1.f89c2306a63ccp-17, -0x1.ec8e1202ceea8p-20,
    -0x1.76137da2d71d8p-22, -0x1.ad8b6ffe16644p-24, -0x1.727ac1ea83d8p-25, -0x1.91da084e3ee3ap-26,
    -0x1.2180dbdfb1972p-27, 0x1.d585021eea203p-28, 0x1.e1eaa8fc8a53ap-27, 0x1.81eb1f86303f2p-28,
    -0x1.05d0565a2076bp-27, -0x1.e2cfbbbd1332ep-28, 0x1.d18e45599b35cp-29, 0x1.4e0b3d8ddede4p-28,
    -0x1.7f7fea16adf61p-30, -0x1.40db39de30786p-29, 0x1.12480be9b8737p-31, 0x1.84f531ee6113fp-31,
    -0x1.1918b0ddb13c8p-33, -0x1.b98c77d15af91p-34, 0x1.200a62f606e69p-36,
};

// I1(x)/x^1, a polynomial in x^2 for x <= 1.
static __constant__ f64 I1_UNIT[] = {
    0x1p-1, 0x1p-4, 0x1.55555555554f5p-9, 0x1.c71c71c72894dp-15, 0x1.6c16c1601612dp-21, 0x1.845c96ec40ca5p-28,
    0x1.27dd5858b015p-35, 0x1.56e00b3ca6b06p-43,
};

// K1(x) without its logarithm and pole, a polynomial in x^2 for x <= 1.
static __constant__ f64 K1_UNIT[] = {
    -0x1.3b5b6028a83d6p-2, -0x1.5dadb014541ecp-4, -0x1.303ae729ff289p-8, -0x1.d802af7a6ec36p-14,
    -0x1.a29182137a15dp-20, -0x1.e212b255fd09bp-27, -0x1.8625bc1664157p-34, -0x1.db5a9a07c52d4p-42,
};

// sqrt(x) exp(x) K1(x), a polynomial in (8/x - 5)/3 for 1 < x <= 4.
static __constant__ f64 K1_MIDDLE[] = {
    0x1.81f27f654f4ap+0, 0x1.15621d764fe43p-3, -0x1.fca2a06f1df47p-8, 0x1.0adc1add0e1adp-10, -0x1.7e9c3d6a73598p-13,
    0x1.47a960ae1737ap-15, -0x1.3becfcbd855b4p-17, 0x1.4c087d8b30383p-19, -0x1.74dc2d7621e67p-21,
    0x1.b975978c0e331p-23, -0x1.110da1842f8eep-24, 0x1.5e6f328138a6cp-26, -0x1.ccb214905a2f3p-28,
    0x1.370907685f016p-29, -0x1.d46814ae003d3p-31, 0x1.5d93e0da33707p-32, -0x1.0a026ff80446ap-34,
    0x1.04257741cdc3fp-36, -0x1.148dc4d4795fep-35, 0x1.dc172f8fd4c4dp-37,
};

// sqrt(x) exp(x) K1(x), a polynomial in 8/x - 1 for x > 4.
static __constant__ f64 K1_LARGE[] = {
    0x1.4f5b136a71d17p+0, 0x1.c0b7e3626c15ep-5, -0x1.c642af0edd2fap-10, 0x1.2795194253c26p-13, -0x1.1e5531cf105p-16,
    0x1.62365131db402p-19, -0x1.044f96eecfad2p-21, 0x1.b4146d611d1p-24, -0x1.9553f0b0ff973p-26, 0x1.9a617b38fa9cdp-28,
    -0x1.bd9193b89a1e4p-30, 0x1.00fd8a8b1ddd1p-31, -0x1.453a28b543963p-33, 0x1.ad95515b00836p-35,
    -0x1.8620d20b2a65p-37, 0x1.9fa6d139f3936p-39, -0x1.0eb1611114403p-38, 0x1.cc405cb9e89a4p-40,
};

// I1(x)/x^1, a polynomial in x^2 for |x| <= 8.
static __device__ constexpr f32 I1_SMALL_F32[] = {
    0x1p-1f, 0x1.000002p-4f, 0x1.555534p-9f, 0x1.c71edp-15f, 0x1.6c0294p-21f, 0x1.8518d2p-28f, 0x1.23e116p-35f,
    0x1.6c4d26p-43f, 0x1.940c16p-52f, 0x1.95e4e4p-59f,
};

// sqrt(x) exp(-x) I1(x), a polynomial in 16/x - 1 for x >= 8.
static __device__ constexpr f32 I1_LARGE_F32[] = {
    0x1.8ebe78p-2f, -0x1.3f7962p-7f, -0x1.cbc602p-13f, -0x1.f8810cp-17f, -0x1.ea1e72p-20f, -0x1.80a724p-22f,
    -0x1.075242p-23f, -0x1.33fb7ap-25f,
};

// I1(x)/x^1, a polynomial in x^2 for x <= 1.
static __device__ constexpr f32 I1_UNIT_F32[] = {
    0x1p-1f, 0x1p-4f, 0x1.55557ap-9f, 0x1.c701eap-15f, 0x1.73b3fp-21f,
};

// K1(x) without its logarithm and pole, a polynomial in x^2 for x <= 1.
static __device__ constexpr f32 K1_UNIT_F32[] = {
    -0x1.3b5b6p-2f, -0x1.5dadbp-4f, -0x1.303b14p-8f, -0x1.d7e23cp-14f, -0x1.abf61p-20f,
};

// sqrt(x) exp(x) K1(x), a polynomial in (8/x - 5)/3 for 1 < x <= 4.
static __device__ constexpr f32 K1_MIDDLE_F32[] = {
    0x1.81f28p+0f, 0x1.15621ap-3f, -0x1.fca62ep-8f, 0x1.0aeaf8p-10f, -0x1.7c6edcp-13f, 0x1.42650ap-15f,
    -0x1.7155ecp-17f, 0x1.a44202p-19f,
};

// sqrt(x) exp(x) K1(x), a polynomial in 8/x - 1 for x > 4.
static __device__ constexpr f32 K1_LARGE_F32[] = {
    0x1.4f5b14p+0f, 0x1.c0b7eap-5f, -0x1.c64384p-10f, 0x1.27601cp-13f, -0x1.1d854cp-16f, 0x1.7c0824p-19f,
    -0x1.259d56p-21f,
};

}

#endif
