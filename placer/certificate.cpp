#include "placer/certificate.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "engine/race.h"
#include "model/claim_problem.h"
#include "model/derived.h"
#include "placer/make_engine.h"
#include "proof/check_proof.h"
#include "tessera/errors.h"

namespace tessera::placer {

namespace {

constexpr std::uint64_t hash_seed = 0xCBF29CE484222325U;  // FNV-1a, 64 bits
constexpr std::uint64_t hash_prime = 0x100000001B3U;
constexpr std::size_t most_buffered = std::size_t{1} << 16U;

std::string reason_of(int error) {
  return std::generic_category().message(error);
}

std::string claim_line(const Claim& claim) {
  std::string line = "claim ";
  switch (claim.kind) {
    case ClaimKind::infeasible:
      return line + "infeasible\n";
    case ClaimKind::height:
      line += "height " + std::to_string(claim.least);
      for (const MemoryIndex m : claim.memories) line += ' ' + std::to_string(m);
      return line + '\n';
    case ClaimKind::cost:
      return line + "cost " + std::to_string(claim.least) + '\n';
    case ClaimKind::modes:
      return line + "modes " + std::to_string(claim.least) + '\n';
    case ClaimKind::switches:
      return line + "switches " + std::to_string(claim.least) + '\n';
    case ClaimKind::benefit:
      return line + "benefit " + std::to_string(claim.most) + '\n';
  }
  return line;
}

}  // namespace

std::string cut_text(const PlacementProblem& problem, const facts::Cut& cut) {
  std::string text;
  if (cut.step) text += "step " + std::to_string(*cut.step) + '\n';
  if (cut.range)
    text +=
        "range " + std::to_string(cut.range->begin) + ' ' + std::to_string(cut.range->end) + '\n';
  if (cut.grain != 1) text += "grain " + std::to_string(cut.grain) + '\n';
  for (const MemoryIndex m : cut.memories)
    text += "memory " + std::to_string(m) + ' ' + problem.memories[m].name + '\n';
  for (const BufferIndex b : cut.buffers)
    text += "buffer " + std::to_string(b) + ' ' + problem.buffers[b].id + '\n';
  return text + "asked " + std::to_string(cut.asked) + " available " +
         std::to_string(cut.available) + '\n';
}

CertificateFile::CertificateFile(const std::filesystem::path& path)
    : path_(path), hash_(hash_seed), hash_at_mark_(hash_seed) {
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) throw OutputError(path.string() + ": cannot be written: " + reason_of(errno));
}

CertificateFile::~CertificateFile() {
  if (file_ >= 0) ::close(file_);
}

void CertificateFile::write(std::string_view text) {
  for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * hash_prime;
  buffer_ += text;
  if (buffer_.size() >= most_buffered) flush();
}

void CertificateFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && error_.empty()) {
    const ssize_t wrote = ::write(file_, rest.data(), rest.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      error_ = path_.string() + ": cannot be written: " + reason_of(errno);
      break;
    }
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
  written_ += static_cast<std::int64_t>(buffer_.size());
  buffer_.clear();
}

void CertificateFile::header(const PlacementProblem& problem,
                             const std::vector<std::pair<std::string, std::string>>& read) {
  write("tessera proof/2\n");
  for (const auto& [key, value] : read) write("read " + key + ' ' + value + '\n');
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    if (memory.capacity == unbounded) continue;
    write("capacity " + std::to_string(m) + ' ' + std::to_string(memory.capacity) + ' ' +
          memory.name + '\n');
  }
}

void CertificateFile::begin(const Claim& claim, std::string_view kind) {
  flush();
  mark_ = written_;
  hash_at_mark_ = hash_;
  write(claim_line(claim));
  write(std::string(kind) + '\n');
}

void CertificateFile::keep() {
  flush();
  mark_ = written_;
  hash_at_mark_ = hash_;
}

void CertificateFile::drop() {
  buffer_.clear();
  hash_ = hash_at_mark_;
  if (written_ == mark_) return;
  written_ = mark_;
  if (::ftruncate(file_, mark_) != 0 || ::lseek(file_, mark_, SEEK_SET) < 0)
    error_ = path_.string() + ": cannot be written: " + reason_of(errno);
}

void CertificateFile::seal() {
  char line[32];
  std::snprintf(line, sizeof line, "end %016llx\n", static_cast<unsigned long long>(hash_));
  write(line);
  flush();
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0 && error_.empty())
    error_ = path_.string() + ": cannot be written: " + reason_of(errno);
}

bool proved_by_cut(const PlacementProblem& problem, const Claim& claim) {
  if (claim.kind == ClaimKind::benefit || counterexample_goal(claim) != Objective::fit ||
      proof::unspoken(problem))
    return false;
  const PlacementProblem refuted = counterexample_problem(problem, claim);
  const std::optional<facts::Cut> cut = facts::find_cut(refuted);
  return cut && proof::check_proof_of(problem, claim, "cut", cut_text(problem, *cut)).accepted;
}

std::optional<std::string> certify(const PlacementProblem& problem, const Claim& claim,
                                   const engine::SearchParams& search, CertificateFile& file,
                                   std::string* declined) {
  if (auto why = proof::unspoken(problem)) {
    if (declined != nullptr) *declined = *std::move(why);
    return std::nullopt;
  }
  // A certificate does without rules: what holds without them holds with them.
  PlacementProblem refuted = counterexample_problem(problem, claim);
  refuted.rules.clear();
  const Objective goal = counterexample_goal(claim);
  if (goal == Objective::fit) {
    if (const std::optional<facts::Cut> cut = facts::find_cut(refuted)) {
      file.begin(claim, "cut");
      file.write(cut_text(problem, *cut));
      file.keep();
      return "cut";
    }
  }
  for (const EngineInfo& entry : engine_list()) {
    if (!entry.writes_proofs) continue;
    const std::unique_ptr<engine::PlacementEngine> engine = make_engine(entry.name);
    if (const auto why = engine->unsupported(refuted, goal)) {
      if (declined != nullptr) *declined = *why;
      continue;
    }
    engine::SearchParams own = search;
    own.goal = goal;
    own.at_most = counterexample_cost(claim);
    own.proof = &file;
    file.begin(claim, "derivation");
    if (engine::solve_within_memory(*engine, refuted, own).status == Status::infeasible) {
      file.keep();
      return std::string(entry.name);
    }
    if (declined != nullptr && !problem.rules.empty())
      *declined = "The problem has rules, which certificates do not support.";
    file.drop();
  }
  return std::nullopt;
}

}  // namespace tessera::placer
