#include "blocks.h"

const uint8_t block_places[LAST_OF_4 + 1] = {
    0, 4, 1, 2, 5, 8, 12, 9, 6, 3, 16, 7, 10, 13, 16, 16, 16, 14, 11, 16, 16, 16, 16, 16, 15,
};
