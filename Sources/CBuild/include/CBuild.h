// Of which commit this build is.
#pragma once

/// The commit, shortened, with "-dirty" where files had been changed; empty where nobody told.
const char *pando_commit(void);
