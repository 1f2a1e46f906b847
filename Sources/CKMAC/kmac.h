#include <stddef.h>
#include <stdint.h>

/// KMAC-256 (NIST SP 800-185, 4) of `message`, `output_size` bytes long, by OpenSSL's libcrypto. 1 when it was made, 0
/// otherwise: keys below 4 bytes or above 512 and customization strings above 512 are refused by the library. OpenSSL's
/// headers are included in kmac.c alone, so that no Swift file sees its names next to BoringSSL's.
int pando_kmac256(
    const uint8_t *key, size_t key_size, const uint8_t *custom, size_t custom_size, const uint8_t *message,
    size_t message_size, uint8_t *output, size_t output_size);
