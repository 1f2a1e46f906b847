// Of which commit this build is, and what Swift does not see of the C library.
#pragma once

/// The commit, shortened, with "-dirty" where files had been changed; empty where nobody told.
const char *pando_commit(void);

/// Four heaps of malloc, not eight for each core: what one thread frees another finds. To be called once, before there
/// are many threads.
void pando_limit_heaps(void);

/// Gives free pages of all heaps back to the system: malloc by itself returns only what lies at the end of one. It takes
/// milliseconds, in which threads that allocate wait, and whoever allocates next gets pages anew.
void pando_give_back(void);

/// Lets go of the pages of code that were read so far: most of them only to start. What is needed again is mapped again
/// from the system's cache.
void pando_unmap_start(void);
