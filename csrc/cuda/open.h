/* Private header of cuda/: the lock of opening, and the last message. */
#ifndef GNP_CUDA_OPEN_H
#define GNP_CUDA_OPEN_H

#include <pthread.h>

extern pthread_mutex_t gnp_cuda_lock; /* guards opening, and gnp_cuda_message */
extern char gnp_cuda_message[8192];

#endif
