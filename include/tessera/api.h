// What the shared library shows: everything else of it is hidden, so that no name of an engine or
// of a library inside can meet one of the program that uses it.
//
//   TESSERA_API void shown();
#pragma once

#define TESSERA_API __attribute__((visibility("default")))
