#ifndef PANDO_CLIBCURL_H
#define PANDO_CLIBCURL_H

#include <curl/curl.h>

/* Swift calls no function with a variable number of arguments: each option that mail needs has one of its own here,
   with the type that libcurl reads. They say whether libcurl took the value. */
typedef size_t (*pando_curl_reader)(char *buffer, size_t size, size_t count, void *context);

static inline int pando_curl_url(CURL *curl, const char *url) {
    return curl_easy_setopt(curl, CURLOPT_URL, url) == CURLE_OK
        && curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps") == CURLE_OK
        && curl_easy_setopt(curl, CURLOPT_NOPROXY, "*") == CURLE_OK;
}

static inline int pando_curl_login(CURL *curl, const char *user, const char *password) {
    return curl_easy_setopt(curl, CURLOPT_USERNAME, user) == CURLE_OK
        && curl_easy_setopt(curl, CURLOPT_PASSWORD, password) == CURLE_OK;
}

/* Whether the connection must be encrypted. Certificates are checked whenever it is. `authorities` are believed in
   place of the system's, not beside them: Debian's libcurl has a folder of these besides its file. */
static inline int pando_curl_tls(CURL *curl, int needed, const char *authorities) {
    return curl_easy_setopt(curl, CURLOPT_USE_SSL, (long)(needed ? CURLUSESSL_ALL : CURLUSESSL_NONE)) == CURLE_OK
        && (authorities == NULL || (curl_easy_setopt(curl, CURLOPT_CAINFO, authorities) == CURLE_OK
            && curl_easy_setopt(curl, CURLOPT_CAPATH, NULL) == CURLE_OK));
}

/* Seconds. No signals: several threads send. */
static inline int pando_curl_limits(CURL *curl, long connect, long total) {
    return curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK
        && curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, connect) == CURLE_OK
        && curl_easy_setopt(curl, CURLOPT_TIMEOUT, total) == CURLE_OK;
}

static inline int pando_curl_mail(CURL *curl, const char *from, struct curl_slist *to) {
    return curl_easy_setopt(curl, CURLOPT_MAIL_FROM, from) == CURLE_OK
        && curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, to) == CURLE_OK;
}

static inline int pando_curl_upload(CURL *curl, pando_curl_reader reader, void *context) {
    return curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L) == CURLE_OK
        && curl_easy_setopt(curl, CURLOPT_READFUNCTION, reader) == CURLE_OK
        && curl_easy_setopt(curl, CURLOPT_READDATA, context) == CURLE_OK;
}

/* The last answer of the server (RFC 5321, 4.2), 0 without one. */
static inline long pando_curl_answer(CURL *curl) {
    long code = 0;
    return curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code) == CURLE_OK ? code : 0;
}

static inline int pando_curl_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK; }
static inline int pando_curl_perform(CURL *curl) { return (int)curl_easy_perform(curl); }

#endif
