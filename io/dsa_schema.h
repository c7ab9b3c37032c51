// The form of a dsa-solver v1 document: which keys, which types, which words. Private to io/.
#pragma once

#include "io/tree.h"

namespace tessera::io {

/// Throws InputError unless the document has the form of schema version 1. Afterwards every
/// required key is there with its type; references between parts are not looked at.
void check_dsa_document(const Sources& sources, const Node& root);

}  // namespace tessera::io
