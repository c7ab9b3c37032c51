// Marks the symbols that the shared library exports. All others are hidden, so that they cannot
// clash with symbols of the program or of other libraries.
//
//   TESSERA_API void shown();
#pragma once

#define TESSERA_API __attribute__((visibility("default")))
