#include "kmac.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

int pando_kmac256(
    const uint8_t *key, size_t key_size, const uint8_t *custom, size_t custom_size, const uint8_t *message,
    size_t message_size, uint8_t *output, size_t output_size) {
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, OSSL_MAC_NAME_KMAC256, NULL);
    if (algorithm == NULL) return 0;
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(algorithm);
    EVP_MAC_free(algorithm);
    if (context == NULL) return 0;
    // The library takes pointers that are not const and writes through none of these two.
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &output_size),
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_CUSTOM, (void *)custom, custom_size),
        OSSL_PARAM_construct_end(),
    };
    size_t written = 0;
    int made = EVP_MAC_init(context, key, key_size, parameters)
        && (message_size == 0 || EVP_MAC_update(context, message, message_size))
        && EVP_MAC_final(context, output, &written, output_size) && written == output_size;
    EVP_MAC_CTX_free(context);
    return made;
}
