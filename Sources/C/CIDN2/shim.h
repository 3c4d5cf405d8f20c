// The flags are values of an enumeration without a name, which Swift imports as another type than the functions take.
#ifndef HALCYON_CIDN2_SHIM_H
#define HALCYON_CIDN2_SHIM_H

#include <idn2.h>

static inline int halcyon_idn2_lookup(const uint8_t *host, uint8_t **ascii) {
    return idn2_lookup_u8(host, ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
}

#endif
