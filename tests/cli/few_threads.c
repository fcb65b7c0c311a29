/* few_threads.c: preloaded, lets a program start as many threads as FEW_THREADS says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

typedef int create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

static int started;

__attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                          const pthread_attr_t* attributes,
                                                          void* (*body)(void*), void* argument) {
  const char* const most = getenv("FEW_THREADS");
  if (most && __sync_fetch_and_add(&started, 1) >= atoi(most)) return EAGAIN;
  create* original;
  *(void**)&original = dlsym(RTLD_NEXT, "pthread_create");  // ISO C has no cast for this
  return original(thread, attributes, body, argument);
}
