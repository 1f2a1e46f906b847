#ifndef PANDO_CLIBXML2_H
#define PANDO_CLIBXML2_H

#include <libxml/xmlversion.h>
/* Debian builds libxml2 with ICU and its headers then include ICU's, which are not those of Foundation.
   Only the layout of xmlCharEncodingHandler depends on it, which nobody here looks into. */
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/HTMLparser.h>

/* xmlFree is a variable, which Swift takes for shared state; it is never set here. */
static inline void xml_text_free(xmlChar *text) { xmlFree(text); }

#endif
