#ifndef PANDO_CQRENCODE_H
#define PANDO_CQRENCODE_H

#include <qrencode.h>

#endif
