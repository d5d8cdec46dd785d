// <stddef.h>, which NVRTC does not have: sizes and the null pointer.
#ifndef GNP_STD_STDDEF_H
#define GNP_STD_STDDEF_H

#ifndef NULL
#define NULL 0
#endif
#define offsetof(type, member) ((size_t)&reinterpret_cast<const volatile char &>(((type *)0)->member))

#endif
