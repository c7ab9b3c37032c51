// Determines how INPUT is read when a certificate is checked, and thus the problem of the
// certificate.
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
  /// Suffix of the claim if only the certificate determines how INPUT is read.
  std::string said;
  /// Empty, or a sentence: the certificate was made from INPUT read with other options.
  std::string other;
};

/// `asked`: the command line determines the problem. INPUT is then read only with its options,
/// independent of the certificate; otherwise with those of the certificate. `file` is the
/// certificate's name, for messages. Throws BadInput.
[[nodiscard]] CertificateReading read_for(const CertificateText& certificate,
                                          const std::string& file, const InputArguments& arguments,
                                          bool asked);

}  // namespace tessera::cli
