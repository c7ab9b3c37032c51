// write_commands(): the commands of all groups, with barriers between them.
#include <algorithm>
#include <memory>

#include "commands/c_table.h"
#include "commands/fold.h"
#include "commands/group.h"
#include "commands/issue.h"
#include "commands/json.h"
#include "commands/source.h"
#include "commands/staging.h"
#include "planner/pinned.h"
#include "tessera/commands.h"
#include "tessera/plan.h"
#include "tiling/subgraph.h"

namespace tessera::commands {
namespace {

void require_right(const Network& network, const Hardware& hardware, const NetworkPlan& plan) {
  const std::vector<std::string> wrong = check_plan(network, hardware, plan);
  if (!wrong.empty()) throw BadInput("the plan is wrong: " + wrong.front());
  if (plan.status != Status::feasible) throw BadInput("no plan was found");
}

/// All queues of a machine, which are equal for all groups but for memories that some wait for.
std::vector<Queue> queues_of(const Hardware& hardware,
                             const std::vector<std::unique_ptr<Group>>& groups,
                             std::size_t& buses) {
  std::vector<Queue> queues;
  if (const std::optional<Queue> staging = staging_queue(hardware)) queues.push_back(*staging);
  for (const auto& group : groups) {
    const cost::GroupSchedule& schedule = group->schedule();
    buses = std::max(buses, schedule.pipeline.buses);
    for (std::size_t r = 0; r < schedule.pipeline.resources.size(); ++r) {
      const cost::PipelineResource& resource = schedule.pipeline.resources[r];
      if (resource.name.empty()) continue;  // in the queue of another engine
      const std::string name = r < schedule.commanded ? resource.name : "memory " + resource.name;
      if (std::ranges::find(queues, name, &Queue::name) == queues.end())
        queues.push_back({name, resource.channels});
    }
  }
  return queues;
}

using Write = std::function<void(std::string_view)>;

class Program {
 public:
  Program(const Network& network, const Hardware& hardware, const NetworkPlan& plan)
      : readers_(tiling::last_readers(network)),
        homes_(network, hardware, plan),
        context_{network, hardware, plan, readers_, homes_} {
    for (const PlannedSubgraph& planned : plan.subgraphs)
      groups_.push_back(std::make_unique<Group>(context_, planned, groups_.size()));
  }

  void write_lines(const CommandsParams& params, const std::string& source, const Write& sink) {
    std::size_t buses = 0;
    const std::vector<Queue> queues = queues_of(context_.hardware, groups_, buses);
    sink(header_line(context_, queues, buses, source));
    Size bytes = 0;
    Folder folder(sink);
    const CommandId count = each_command([&](const Command& command) {
      bytes += command.bytes;
      if (params.fold)
        folder.add(json_line(command, context_));
      else
        sink(json_line(command, context_));
    });
    folder.finish();
    sink(footer_line(count, bytes));
  }

  void write_table(const CommandsParams& params, const Write& sink) {
    std::size_t buses = 0;
    CTable table(params.c_table, context_, queues_of(context_.hardware, groups_, buses));
    sink(table.begin());
    CommandId count = 0;
    for (const CArray array : c_arrays) {
      sink(table.open(array));
      count = each_command([&](const Command& command) { sink(table.rows(array, command)); });
      sink(table.close());
    }
    sink(table.end(count));
  }

 private:
  /// Returns their number.
  CommandId each_command(const std::function<void(const Command&)>& see) {
    IssueState state;
    Staging staging(context_);
    for (const auto& group : groups_) {
      staging.begin_group(group->index(), state, see);
      Issuer(*group, state, [&](const Command& command) { see(command); }).run();
    }
    return state.next;
  }

  std::vector<std::optional<OpIndex>> readers_;
  Homes homes_;
  Context context_;
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace
}  // namespace tessera::commands

namespace tessera {

void write_commands(const Network& network, const Hardware& hardware, const NetworkPlan& plan,
                    const CommandsParams& params,
                    const std::function<void(std::string_view)>& sink) {
  commands::require_right(network, hardware, plan);
  const planner::PinnedMachine own =
      planner::as_planned(network, hardware, plan.joined, plan.pinned);
  try {
    commands::Program program(own.network, own.hardware, plan);
    // Pieces of some size, because each costs a system call.
    constexpr std::size_t piece = 1U << 16;
    std::string text;
    const auto gather = [&](std::string_view line) {
      text += line;
      if (text.size() < piece) return;
      sink(text);
      text.clear();
    };
    if (params.c_table.empty())
      program.write_lines(params, commands::source_json(network, params), gather);
    else
      program.write_table(params, gather);
    sink(text);
  } catch (const commands::Unsupported& error) {
    throw BadInput(std::string("commands: ") + error.what(), error.advice());
  }
}

}  // namespace tessera
