// What a CI job asks of a result: that it stays within bounds, and is no worse than an earlier one.
// Both are read off the document that --json prints, so that they say the same whatever is printed.
#pragma once

#include "app/common/arguments.h"
#include "app/common/exit_codes.h"
#include "app/common/schemas.h"
#include "app/loopglassc/memory_limit.h"
#include "core/session.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>

namespace loopglass::app {

struct Gate {
  std::optional<std::uint64_t> max_kernels, max_arena;  // max_arena in bytes
  std::optional<double> max_ms;
  std::optional<std::string> baseline;  // a file that --json of the same form was written to

  bool asks() const { return max_kernels || max_arena || max_ms || baseline; }
};

// --max-kernels, --max-arena and --baseline.
void add_gate(Command command, Gate& gate);
// --max-ms, of commands that measure.
void add_time_gate(Command command, Gate& gate);

// UsageInvalid where the gate asks something of what has no such numbers; `what` is that.
Result<void> refuse_gate(const Gate& gate, const std::string& what, const std::string& hint);

// A result of the form `schema`, as --json prints it of the session's model with the types of its
// inputs, and how else it is printed.
struct Gated {
  Schema schema;
  Session& session;
  const std::optional<MemoryLimit>& limit;
  const nlohmann::ordered_json& document;
  std::function<void()> print;
};
// The baseline's document, to be read before anything is measured; null: there is none.
// UsageInvalid: it cannot be read, has another form, or is of another model or other inputs.
Result<nlohmann::ordered_json> read_baseline(const Gate& gate, Schema schema, Session& session);
// Whether the result takes longer than a bound or the baseline allows, which on a machine with
// other work to do may be by chance.
bool takes_too_long(const Gate& gate, const nlohmann::ordered_json& baseline,
                    const nlohmann::ordered_json& document);
// Prints the result, as JSON with `exceeded`, and `changes` since the baseline, where they are
// asked for. What is exceeded or worse is told on the error stream, and is Bad. Looked at
// are kernels and kernel_count, edges, arena_bytes and other sizes, and the network's median.
// UsageInvalid: the baseline was measured in other circumstances, or has not all that is compared.
Result<Exit> print_gated(const Gated& result, const Gate& gate,
                         const nlohmann::ordered_json& baseline, bool json);

}  // namespace loopglass::app
