#include "check_proof.h"

#include <algorithm>

#include "model/buffer_parts.h"
#include "model/claim_problem.h"
#include "model/derived.h"
#include "parts.h"
#include "tessera/validate.h"

namespace tessera::proof {
namespace {

constexpr std::string_view first_line = "tessera proof/2";

/// Does docs/reference/proofs.md define the relation?
constexpr bool is_spoken_of(RelationKind kind) {
  switch (kind) {
    case RelationKind::same_bank:
    case RelationKind::different_banks:
    case RelationKind::same_memory:
    case RelationKind::different_memories:
    case RelationKind::adjacent:
    case RelationKind::same_offset:
    case RelationKind::may_overlap:
    case RelationKind::disjoint:
    case RelationKind::avoid_overlap:
      return true;
  }
  return false;
}

/// Thrown with the message that rejects a header or a claim.
struct Refused {
  std::string why;
};

ProofHeader::Capacity read_capacity(std::string_view rest, std::size_t line) {
  const auto memory = take_number(rest);
  const auto size = take_number(rest);
  if (!memory || *memory < 0 || !size || *size < 1 || *size > max_address || rest.size() < 2)
    throw Refused{at_line(
        line, "a capacity needs the number of a memory, a size and the name of the memory")};
  return {static_cast<MemoryIndex>(*memory), *size, std::string(rest.substr(1))};
}

/// One option with which the input was read. Unknown options may change the meaning of the input
/// and are rejected.
void read_reading(std::string_view rest, std::size_t line, ProofHeader& header) {
  const std::string key(take_word(rest));
  if (key.empty() || rest.size() < 2)
    throw Refused{at_line(line, "'read' needs a word and its value")};
  const std::string value(rest.substr(1));
  if (key != "profile" && key != "lifetimes")
    throw Refused{at_line(line, "'read' supports only 'profile' and 'lifetimes'")};
  for (const auto& [other, ignored] : header.read)
    if (other == key) throw Refused{at_line(line, "'read " + key + "' is given twice")};
  if (key == "lifetimes" && value != "half-open" && value != "inclusive")
    throw Refused{at_line(line, "'lifetimes' must be 'half-open' or 'inclusive'")};
  // It is shown to people.
  if (std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }))
    throw Refused{at_line(line, "the name of a profile has control characters")};
  header.read.emplace_back(key, value);
}

/// Stops before the first claim.
ProofHeader read_header(Lines& lines) {
  ProofHeader header;
  const auto first = lines.next();
  if (!first || *first != first_line)
    throw Refused{at_line(1, "the file does not begin with '" + std::string(first_line) + "'")};
  for (auto line = lines.peek(); line; line = lines.peek()) {
    std::string_view rest = *line;
    const std::string_view word = first_word(rest);
    if (word != "read" && word != "capacity") break;
    static_cast<void>(lines.next());
    if (word == "capacity")
      header.capacities.push_back(read_capacity(rest, lines.number()));
    else
      read_reading(rest, lines.number(), header);
  }
  return header;
}

Claim read_claim(std::string_view rest, const PlacementProblem& problem, std::size_t line) {
  Claim claim;
  const std::string_view word = take_word(rest);
  if (word == "infeasible") {
    if (!at_end(rest)) throw Refused{at_line(line, "the claim 'infeasible' takes no numbers")};
    return claim;
  }
  if (word == "height") {
    claim.kind = ClaimKind::height;
  } else if (word == "cost") {
    claim.kind = ClaimKind::cost;
  } else if (word == "modes") {
    claim.kind = ClaimKind::modes;
  } else if (word == "switches") {
    claim.kind = ClaimKind::switches;
  } else if (word == "benefit") {
    claim.kind = ClaimKind::benefit;
    const auto most = take_number(rest);
    if (!most || *most < -1 || *most > unbounded || !at_end(rest))
      throw Refused{at_line(line, "a benefit needs one number in thousandths, at least -1")};
    claim.most = *most;
    return claim;
  } else {
    throw Refused{at_line(line, "'" + std::string(word) + "' is not a known claim")};
  }
  const auto least = take_number(rest);
  if (!least || *least < 1 || *least > unbounded)
    throw Refused{at_line(line, "a bound must be a number of at least 1")};
  claim.least = *least;
  while (claim.kind == ClaimKind::height && !at_end(rest)) {
    const auto memory = take_number(rest);
    if (!memory || *memory < 0 || *memory >= std::ssize(problem.memories) ||
        (!claim.memories.empty() && claim.memories.back() >= static_cast<MemoryIndex>(*memory)))
      throw Refused{at_line(line, "the memories of a height must be ascending numbers")};
    claim.memories.push_back(static_cast<MemoryIndex>(*memory));
  }
  if (claim.kind == ClaimKind::height && claim.memories.empty())
    throw Refused{at_line(line, "a height needs at least one memory")};
  if (!at_end(rest)) throw Refused{at_line(line, "the line has text after the claim")};
  return claim;
}

PlacementProblem with_capacities(const PlacementProblem& problem, const ProofHeader& header) {
  PlacementProblem about = problem;
  std::vector<char> named(problem.memories.size(), 0);
  for (const ProofHeader::Capacity& each : header.capacities) {
    if (each.memory >= about.memories.size() || about.memories[each.memory].name != each.name)
      throw Refused{"The certificate names memory number " + std::to_string(each.memory) + ", '" +
                    each.name + "', which this input does not have at this position."};
    if (named[each.memory] != 0)
      throw Refused{"The certificate states for memory '" + each.name + "' two capacities."};
    named[each.memory] = 1;
    Memory& memory = about.memories[each.memory];
    if (!memory.banks.empty() && memory.capacity != each.size)
      throw Refused{"The certificate has memory '" + each.name + "' with " +
                    std::to_string(each.size) + " bytes, but the banks in the input add up to " +
                    std::to_string(memory.capacity) + "."};
    memory.capacity = each.size;
  }
  // An unbounded memory without a stated capacity: the certificate would prove nothing about a
  // limit.
  for (MemoryIndex m = 0; m < about.memories.size(); ++m)
    if (named[m] == 0) {
      if (!about.memories[m].banks.empty())
        throw Refused{"The certificate does not state the capacity of memory '" +
                      about.memories[m].name + "', which the input states."};
      about.memories[m].capacity = unbounded;
    }
  const std::vector<Defect> defects = validate(about);
  if (!defects.empty())
    throw Refused{"With the certificate's capacities the input is not well-formed: " +
                  defects.front().message};
  return about;
}

/// A smaller capacity makes more claims true, so nothing follows for the input. A memory without a
/// capacity in the problem takes the certificate's, and the claim names it.
void refuse_less_room(const PlacementProblem& given, const PlacementProblem& about) {
  for (MemoryIndex m = 0; m < given.memories.size(); ++m) {
    const Size own = given.memories[m].capacity;
    const Size assumed = about.memories[m].capacity;
    if (own == unbounded || assumed >= own) continue;
    throw Refused{"The certificate has memory '" + given.memories[m].name + "' with " +
                  std::to_string(assumed) + " bytes, but in the input it has " +
                  std::to_string(own) +
                  ": a claim for less memory need not hold for more. To check " +
                  std::to_string(assumed) + " bytes, set that capacity."};
  }
}

/// " with sram of 12, dram of 64": capacities the claim assumes and the input does not state.
std::string assumed_capacities(const PlacementProblem& given, const PlacementProblem& about) {
  std::string text;
  for (MemoryIndex m = 0; m < given.memories.size(); ++m)
    if (about.memories[m].capacity < given.memories[m].capacity)
      text += (text.empty() ? " with " : ", ") + given.memories[m].name + " of " +
              std::to_string(about.memories[m].capacity);
  return text;
}

/// The lines up to the next claim.
std::string_view take_body(Lines& lines) {
  const std::string_view text = lines.rest();
  while (lines.peek() && !lines.peek()->starts_with("claim")) static_cast<void>(lines.next());
  return text.substr(0, text.size() - lines.rest().size());
}

/// `first`: the number of its first line.
void judge(const PlacementProblem& problem, std::string_view text, std::size_t first,
           const Budget& budget, ProofPart& part, std::optional<StopReason>& stop) {
  part.claim_text = describe(problem, part.claim);
  const PlacementProblem refuted = counterexample_problem(problem, part.claim);
  const Body body{refuted, part.claim, text, first, budget};
  if (part.kind == "choice") {
    check_choice(body, part, stop);
  } else if (part.claim.kind == ClaimKind::benefit) {
    part.reason = at_line(first - 1, "a benefit needs a proof of kind 'choice'");
  } else if (part.kind == "cut") {
    check_cut(body, part);
  } else if (part.kind == "derivation") {
    check_derivation(body, part, stop);
  } else {
    part.reason = at_line(first - 1, "'" + part.kind + "' is not a known kind of proof");
  }
}

ProofPart check_part(Lines& lines, const PlacementProblem& given, const PlacementProblem& about,
                     const Budget& budget, std::optional<StopReason>& stop) {
  ProofPart part;
  std::string_view rest = lines.next().value();
  if (first_word(rest) != "claim")
    throw Refused{at_line(lines.number(), "a claim is expected here")};
  part.claim = read_claim(rest, about, lines.number());
  const auto kind = lines.next();
  part.kind = kind.value_or("");
  const std::size_t first = lines.number() + 1;
  judge(about, take_body(lines), first, budget, part, stop);
  // A claim of infeasibility names all capacities itself.
  const bool nothing = part.claim.kind == ClaimKind::infeasible ||
                       (part.claim.kind == ClaimKind::benefit && part.claim.most < 0);
  if (!nothing) part.claim_text += assumed_capacities(given, about);
  return part;
}

}  // namespace

std::optional<ProofHeader> proof_header(std::string_view text, std::string& why) {
  try {
    Lines lines(text);
    return read_header(lines);
  } catch (const Refused& refused) {
    why = refused.why;
    return std::nullopt;
  }
}

std::optional<std::string> unspoken(const PlacementProblem& problem) {
  // Proof rules count alignments from offset 0.
  if (has_unaligned_base(problem))
    return "A memory of the problem has a base that is not a multiple of an alignment, which "
           "certificates do not support.";
  std::int64_t runs = 0;
  for (const Buffer& buffer : problem.buffers) runs += part_segment_count(buffer);
  if (runs > max_part_runs)
    return "The parts have more than " + std::to_string(max_part_runs) +
           " runs, counted with every copy of a period, which certificates do not support.";
  for (const Relation& relation : problem.relations)
    if (!is_spoken_of(relation.kind))
      return "The problem has a relation " + std::string(to_string(relation.kind)) +
             ", which certificates do not support.";
  return std::nullopt;
}

ProofPart check_proof_of(const PlacementProblem& problem, const Claim& claim, std::string_view kind,
                         std::string_view lines, const Budget& budget) {
  ProofPart part;
  part.claim = claim;
  part.kind = kind;
  if (auto why = unspoken(problem)) {
    part.reason = *std::move(why);
    return part;
  }
  std::optional<StopReason> stop;
  judge(problem, lines, 1, budget, part, stop);
  return part;
}

ProofVerdict check_proof(const PlacementProblem& problem, std::string_view text,
                         const Budget& budget) {
  ProofVerdict verdict;
  verdict.about = problem;
  try {
    // Report another kind of file as such, not as damaged.
    Lines again(text);
    static_cast<void>(read_header(again));
    const auto body = unsealed(text, verdict.reason);
    if (!body) return verdict;
    Lines lines(*body);
    const ProofHeader header = read_header(lines);
    if (auto why = unspoken(problem)) throw Refused{*std::move(why)};
    verdict.about = with_capacities(problem, header);
    refuse_less_room(problem, verdict.about);
    if (!lines.peek()) throw Refused{"The certificate has no claims."};
    while (lines.peek() && !verdict.stop)
      verdict.parts.push_back(check_part(lines, problem, verdict.about, budget, verdict.stop));
  } catch (const Refused& refused) {
    verdict.reason = refused.why;
    return verdict;
  }
  const auto wrong = std::find_if(verdict.parts.begin(), verdict.parts.end(),
                                  [](const ProofPart& part) { return !part.accepted; });
  verdict.accepted = wrong == verdict.parts.end() && !verdict.stop;
  verdict.reason = verdict.parts.size() == 1 || !verdict.accepted
                       ? (wrong == verdict.parts.end() ? verdict.parts.front() : *wrong).reason
                       : "All " + std::to_string(verdict.parts.size()) + " claims are proved.";
  return verdict;
}

}  // namespace tessera::proof
