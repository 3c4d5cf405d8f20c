// The entry of libFuzzer for programs with a main function of their own (https://llvm.org/docs/LibFuzzer.html).

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *bytes, size_t byte_count));
