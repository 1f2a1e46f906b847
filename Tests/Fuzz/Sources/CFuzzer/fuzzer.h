#pragma once

#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library (compiler-rt/lib/fuzzer/FuzzerInterface.h and FuzzerDriver.cpp).
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
