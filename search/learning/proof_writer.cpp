#include "proof_writer.h"

#include <algorithm>
#include <charconv>

namespace tessera::search::learning {

ProofWriter::ProofWriter(engine::ProofSink& sink, const Build& build, const Deduction& deduction)
    : deduction_(deduction), sink_(sink) {
  const State& state = deduction.state;
  const auto& items = deduction.orders.items();
  std::vector<std::int64_t> buffer(state.variables(), -1);
  for (std::size_t b = 0; b < build.plan.offsets.size(); ++b) {
    buffer[build.plan.offsets[b]] = static_cast<std::int64_t>(b);
    text_ += 'o';
    number(build.plan.offsets[b]);
    number(static_cast<std::int64_t>(b));
    text_ += '\n';
  }
  for (const Item& item : items) {
    text_ += 'i';
    number(buffer[item.var]);
    number(item.shift[0]);
    number(item.shift[0] + item.length);
    text_ += '\n';
  }
  for (Key key = 0; key < 2 * state.variables(); key += 2) {
    const Edge* edge = deduction.orders.edge(key);
    if (edge == nullptr) continue;
    const bool pair = edge->lower != no_item;
    const Edge* other = deduction.orders.edge(opposite(key));
    const bool half = other == nullptr;
    // Only relations state distances that always hold.
    const bool relation = !pair && build.axioms.unsaid.contains(var_of(key));
    text_ += pair ? (half ? 'v' : 'p') : relation ? 'h' : half ? 'j' : 'f';
    number(key / 2);
    number(pair ? edge->lower : edge->source);
    number(pair ? edge->upper : edge->target);
    if (!pair && !half) number(-other->weight[0]);
    if (!pair) number(edge->weight[0]);
    text_ += '\n';
  }
  for (const Key key : build.axioms.identical) {
    text_ += 'y';
    number(key);
    text_ += '\n';
  }
  if (build.axioms.mirrored != no_key) {
    text_ += 'z';
    number(build.axioms.mirrored);
    text_ += '\n';
  }
  for (const auto& [letter, numbers] : build.axioms.choices) {
    text_ += letter;
    for (const std::int64_t each : numbers) number(each);
    text_ += '\n';
  }
  for (const auto& lits : build.axioms.clauses) {
    ++last_;
    // Constants and orders fixed by symmetry are written elsewhere.
    if (std::any_of(lits.begin(), lits.end(),
                    [&](const Lit& lit) { return build.axioms.unsaid.contains(var_of(lit.key)); }))
      continue;
    text_ += 'a';
    number(static_cast<std::int64_t>(last_));
    literals(lits);
    text_ += '\n';
  }
}

void ProofWriter::number(std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text_ += ' ';
  text_.append(digits, static_cast<std::size_t>(end - digits));
}

void ProofWriter::literals(std::span<const Lit> lits) {
  number(static_cast<std::int64_t>(lits.size()));
  for (const Lit& lit : lits) {
    number(lit.key);
    number(lit.value);
  }
}

void ProofWriter::flush() {
  sink_.write(text_);
  text_.clear();
}

std::uint64_t ProofWriter::learned(std::span<const Lit> lits, std::span<const Lemma> antecedents) {
  ++last_;
  text_ += 'l';
  number(static_cast<std::int64_t>(last_));
  literals(lits);
  text_ += '\n';
  std::vector<Lit> needed;
  for (const Lemma& lemma : antecedents) {
    char rule = 'w';
    switch (lemma.reason.rule) {
      case Rule::clause:
        text_ += 'c';
        number(static_cast<std::int64_t>(deduction_.clauses.head(lemma.reason.a).id));
        text_ += '\n';
        continue;
      case Rule::edge:
      case Rule::forced:
        rule = 'e';
        break;
      case Rule::triangle:
      case Rule::cycle:
        rule = 't';
        break;
      case Rule::rest:
        rule = 'r';
        break;
      case Rule::not_first:
        rule = 'n';
        break;
      case Rule::overload:
      case Rule::edge_finding:
      case Rule::energy:
      case Rule::balance:
        rule = 'w';
        break;
      case Rule::stride:
        rule = 's';
        break;
      case Rule::cost:
        rule = 'g';
        break;
      case Rule::decision:
      case Rule::root:
        continue;
    }
    text_ += rule;
    if (lemma.conclusion.key == no_key) {
      number(-1);
    } else {
      number(lemma.conclusion.key);
      number(lemma.conclusion.value);
    }
    // Bounds that always hold are omitted; an order tells which edge is meant.
    needed.clear();
    for (const Lit& lit : lemma.premises)
      if (deduction_.state.is_bool(var_of(lit.key)) || deduction_.state.entry_of(lit) >= 0)
        needed.push_back(lit);
    literals(needed);
    if (rule == 'w' || rule == 'n') {
      number(static_cast<std::int64_t>(lemma.members.size()));
      for (const ItemIndex i : lemma.members) number(i);
    }
    text_ += '\n';
  }
  text_ += "q\n";
  if (text_.size() > (1U << 16)) flush();
  return last_;
}

void ProofWriter::forgotten(std::span<const std::uint64_t> ids) {
  text_ += 'd';
  number(static_cast<std::int64_t>(ids.size()));
  for (const std::uint64_t id : ids) number(static_cast<std::int64_t>(id));
  text_ += '\n';
}

void ProofWriter::core(std::uint64_t id, Value weight) {
  text_ += 's';
  number(static_cast<std::int64_t>(id));
  number(weight);
  text_ += '\n';
}

}  // namespace tessera::search::learning
