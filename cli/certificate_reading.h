// Which problem a certificate is held against: how INPUT is read beside it.
//
//   const CertificateReading reading = read_for(certificate, "no.proof", options.input, asked);
//   if (!reading.other.empty()) ...        // it is about another problem than the one asked about
//   claim += reading.said;                 // "cost >= 5, read with lifetimes half-open"
#pragma once

#include <string>

#include "cli/options.h"
#include "tessera/check_result.h"
#include "tessera/files.h"

namespace tessera::cli {

struct CertificateReading {
  Input input;
  /// What a claim has to say besides, where the certificate alone says how INPUT is read.
  std::string said;
  /// Empty, or a sentence: the certificate was made from INPUT read otherwise than was asked for.
  std::string other;
};

/// `asked`: something on the command line says which problem is meant. INPUT is then read as the
/// command line says and in no other way, whatever the certificate says; only otherwise the
/// certificate's own reading is taken. `file` is the certificate's name, for messages.
/// Throws BadInput.
[[nodiscard]] CertificateReading read_for(const CertificateText& certificate,
                                          const std::string& file, const InputArguments& arguments,
                                          bool asked);

}  // namespace tessera::cli
