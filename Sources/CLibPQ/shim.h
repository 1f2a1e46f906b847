#ifndef PANDO_CLIBPQ_H
#define PANDO_CLIBPQ_H

#include <libpq-fe.h>

#endif
