// commit.h is written by deploy/build.sh before it builds, so that a new commit compiles this file and no other.
#include "CBuild.h"

#if __has_include("commit.h")
#include "commit.h"
#else
#define PANDO_COMMIT ""
#endif

#ifdef __linux__
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char __executable_start, etext;
#endif

const char *pando_commit(void) { return PANDO_COMMIT; }

void pando_limit_heaps(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 4);
#endif
}

void pando_give_back(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void pando_unmap_start(void) {
#ifdef __linux__
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)&__executable_start + page - 1) / page * page, to = (uintptr_t)&etext / page * page;
    if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);
#endif
}
