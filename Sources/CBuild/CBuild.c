// commit.h is written by deploy/build.sh before it builds, so that a new commit compiles this file and no other.
#include "CBuild.h"

#if __has_include("commit.h")
#include "commit.h"
#else
#define PANDO_COMMIT ""
#endif

const char *pando_commit(void) { return PANDO_COMMIT; }
