#include "io/account_json.h"

#include "model/json_write.h"

namespace tessera::io {
namespace {

std::string access_text(const PlannedAccess& access) {
  return json_object([&](JsonObject& object) {
    object.text("memory", access.memory);
    object.text("user", access.user);
    object.text("operand", access.operand);
    object.text("access", access.write ? "write" : "read");
    object.real("bytes", access.bytes);
    object.real("cycles", access.cycles);
    object.real("energy_pj", access.energy_pj);
  });
}

PlannedAccess read_access(const Sources& sources, const Node& node) {
  Fields fields(sources, node, "an entry of `accesses`");
  PlannedAccess access;
  access.memory = as_text(sources, fields.need("memory"), "memory");
  access.user = as_text(sources, fields.need("user"), "user");
  access.operand = as_text(sources, fields.need("operand"), "operand");
  access.write = as_one_of(sources, fields.need("access"), "access", {"read", "write"}) == 1;
  fields.take("bytes", access.bytes);
  fields.take("cycles", access.cycles);
  fields.take("energy_pj", access.energy_pj);
  fields.finish();
  return access;
}

}  // namespace

std::string account_text(const PlannedAccount& account) {
  return json_object([&](JsonObject& object) {
    object.number("macs", account.macs);
    object.real("ideal_cycles", account.ideal_cycles);
    object.real("utilisation", account.utilisation);
    object.real("compute_pj", account.compute_pj);
    object.real("switches_pj", account.switches_pj);
    object.real("static_pj", account.static_pj);
    object.list("accesses", account.accesses, access_text, ",\n  ");
  });
}

PlannedAccount read_account(const Sources& sources, const Node& node) {
  Fields fields(sources, node, "an account");
  PlannedAccount account;
  fields.take("macs", account.macs);
  fields.take("ideal_cycles", account.ideal_cycles);
  fields.take("utilisation", account.utilisation);
  fields.take("compute_pj", account.compute_pj);
  fields.take("switches_pj", account.switches_pj);
  fields.take("static_pj", account.static_pj);
  if (const Node* list = fields.find("accesses"))
    for (const Node& each : as_list(sources, *list, "accesses"))
      account.accesses.push_back(read_access(sources, each));
  fields.finish();
  return account;
}

}  // namespace tessera::io
