// Schema of a dsa-solver v1 document: keys, types, allowed words. Private to io/.
#pragma once

#include "io/tree.h"

namespace tessera::io {

/// Throws InputError unless the document conforms to schema version 1. Afterwards every required
/// key exists with its type; references between parts are not checked.
void check_dsa_document(const Sources& sources, const Node& root);

}  // namespace tessera::io
