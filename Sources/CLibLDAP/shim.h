#ifndef PANDO_CLIBLDAP_H
#define PANDO_CLIBLDAP_H

#include <ldap.h>
#include <string.h>
#include <sys/time.h>

/* What libldap takes by untyped pointers and macros, with types that Swift has. All give LDAP's result codes. */

/* `seconds` bound the connection and each answer. Referrals are not followed: they would lead to servers that nobody
   named. `authorities` are believed in place of the system's; certificates are checked in any case. */
static inline int pando_ldap_open(LDAP **handle, const char *url, const char *authorities, int seconds) {
    int version = LDAP_VERSION3, demand = LDAP_OPT_X_TLS_DEMAND, server = 0;
    struct timeval limit = { .tv_sec = seconds, .tv_usec = 0 };
    int code = ldap_initialize(handle, url);
    if (code != LDAP_SUCCESS) return code;
    if (ldap_set_option(*handle, LDAP_OPT_PROTOCOL_VERSION, &version) != LDAP_OPT_SUCCESS
        || ldap_set_option(*handle, LDAP_OPT_NETWORK_TIMEOUT, &limit) != LDAP_OPT_SUCCESS
        || ldap_set_option(*handle, LDAP_OPT_TIMEOUT, &limit) != LDAP_OPT_SUCCESS
        || ldap_set_option(*handle, LDAP_OPT_REFERRALS, LDAP_OPT_OFF) != LDAP_OPT_SUCCESS
        || ldap_set_option(*handle, LDAP_OPT_X_TLS_REQUIRE_CERT, &demand) != LDAP_OPT_SUCCESS)
        return LDAP_LOCAL_ERROR;
    if (authorities != NULL
        && ldap_set_option(*handle, LDAP_OPT_X_TLS_CACERTFILE, authorities) != LDAP_OPT_SUCCESS)
        return LDAP_LOCAL_ERROR;
    return ldap_set_option(*handle, LDAP_OPT_X_TLS_NEWCTX, &server) == LDAP_OPT_SUCCESS
        ? LDAP_SUCCESS : LDAP_LOCAL_ERROR;
}

static inline int pando_ldap_start_tls(LDAP *handle) { return ldap_start_tls_s(handle, NULL, NULL); }

/* A simple bind. An empty password would be an anonymous one that succeeds (RFC 4513, 5.1.2): never sent. */
static inline int pando_ldap_bind(LDAP *handle, const char *dn, const char *password) {
    struct berval secret = { .bv_len = strlen(password), .bv_val = (char *)password };
    if (secret.bv_len == 0) return LDAP_INVALID_CREDENTIALS;
    return ldap_sasl_bind_s(handle, dn, LDAP_SASL_SIMPLE, &secret, NULL, NULL, NULL);
}

/* `whole`: below the base as far as it goes; otherwise the base alone. At most two entries. */
static inline int pando_ldap_search(
    LDAP *handle, const char *base, int whole, const char *filter, char **attributes, int seconds, LDAPMessage **found
) {
    struct timeval limit = { .tv_sec = seconds, .tv_usec = 0 };
    return ldap_search_ext_s(
        handle, base, whole ? LDAP_SCOPE_SUBTREE : LDAP_SCOPE_BASE, filter, attributes, 0, NULL, NULL, &limit, 2,
        found);
}

static inline int pando_ldap_count(LDAP *handle, LDAPMessage *found) { return ldap_count_entries(handle, found); }
static inline LDAPMessage *pando_ldap_first(LDAP *handle, LDAPMessage *found) {
    return ldap_first_entry(handle, found);
}
static inline struct berval **pando_ldap_values(LDAP *handle, LDAPMessage *entry, const char *attribute) {
    return ldap_get_values_len(handle, entry, attribute);
}
static inline void pando_ldap_close(LDAP *handle) { (void)ldap_unbind_ext_s(handle, NULL, NULL); }

enum {
    pando_ldap_success = LDAP_SUCCESS,
    pando_ldap_size_limit = LDAP_SIZELIMIT_EXCEEDED,
    pando_ldap_no_object = LDAP_NO_SUCH_OBJECT,
    pando_ldap_bad_dn = LDAP_INVALID_DN_SYNTAX,
    pando_ldap_inappropriate = LDAP_INAPPROPRIATE_AUTH,
    pando_ldap_no_access = LDAP_INSUFFICIENT_ACCESS,
    pando_ldap_wrong = LDAP_INVALID_CREDENTIALS,
    pando_ldap_unwilling = LDAP_UNWILLING_TO_PERFORM,
};

#endif
