// Checks that every proved result has an accepted certificate.
//
//   certificates SECONDS [--minimize none|height|cost|modes|input] FILE...
//
// One line per file: the result of place(), what it proved, the claims of its certificate, the
// seconds of writing and checking, and the certificate's size. The capacity of a CSV is the number
// before its extension. Ends with 1 if a certificate is rejected.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/check_result.h"
#include "tessera/files.h"
#include "tessera/place.h"

namespace {

using namespace tessera;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::optional<Objective> minimize_named(std::string_view word) {
  if (word == "height") return Objective::height;
  if (word == "cost") return Objective::cost;
  if (word == "modes") return Objective::modes;
  if (word == "input") return std::nullopt;
  return Objective::fit;
}

struct Totals {
  int files = 0;
  int proved = 0;  ///< with a result that needs a certificate
  int certified = 0;
  int refused = 0;
  double checking = 0;
};

void measure(const std::string& file, std::optional<Objective> what, double limit, Totals& totals) {
  InputOptions options;
  if (file.ends_with(".csv")) {
    const std::size_t dot = file.rfind('.', file.size() - 5);
    if (dot != std::string::npos) options.capacity = std::atoll(file.c_str() + dot + 1);
  }
  const PlacementProblem problem = load_input(file, options).problem;
  const std::filesystem::path proof = std::filesystem::temp_directory_path() / "certificates.proof";
  std::filesystem::remove(proof);
  PlaceParams params;
  params.minimize = what;
  params.proof = proof;
  params.limits.timeout = std::chrono::nanoseconds(static_cast<std::int64_t>(limit * 1e9));
  const Clock::time_point start = Clock::now();
  const PlacementResult result = place(problem, params);
  const double placing = seconds_since(start);
  ++totals.files;
  const bool tried = std::filesystem::exists(proof) || !result.certified.empty();
  std::string said;
  std::string claims;
  double checking = 0;
  std::uintmax_t bytes = 0;
  if (tried) {
    const std::string text = load_certificate(proof.string()).text;
    bytes = text.size();
    const Clock::time_point begin = Clock::now();
    const CertificateVerdict verdict = check_certificate(problem, text);
    checking = seconds_since(begin);
    for (const ClaimVerdict& each : verdict.claims)
      claims += (claims.empty() ? "" : "; ") + each.text + " (" + each.kind + ")";
    if (!verdict.accepted) {
      claims += " REFUSED: " + verdict.reason;
      ++totals.refused;
    }
  }
  for (const ObjectiveValue& each : result.objectives)
    said +=
        " " + each.name + " " + std::to_string(each.value) + " >= " + std::to_string(each.bound);
  bool needed = result.status == Status::infeasible;
  for (const ObjectiveValue& each : result.objectives) needed = needed || each.bound > 0;
  totals.proved += needed ? 1 : 0;
  totals.certified += tried ? 1 : 0;
  totals.checking += checking;
  std::printf("%-44s %-10s%s | %s%s | placed %.3f s, checked %.3f s, %ju bytes\n",
              std::filesystem::path(file).filename().c_str(),
              std::string(to_string(result.status)).c_str(), said.c_str(),
              needed && !tried ? "NO CERTIFICATE" : "", claims.c_str(), placing, checking, bytes);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s SECONDS [--minimize none|height|cost|modes|input] FILE...\n",
                 argv[0]);
    return 2;
  }
  std::optional<Objective> what = Objective::fit;
  Totals totals;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--minimize" && i + 1 < argc) {
      what = minimize_named(argv[++i]);
      continue;
    }
    measure(word, what, std::atof(argv[1]), totals);
  }
  std::printf("files %d, with something proved %d, certified %d, refused %d, checking %.2f s\n",
              totals.files, totals.proved, totals.certified, totals.refused, totals.checking);
  return totals.refused == 0 ? 0 : 1;
}
