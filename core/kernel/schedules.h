// Schedules by what they are for: kernels that compute the same, whatever they are called, share
// one, and it outlives whatever changes elsewhere in the network.
#pragma once

#include "core/loop/nameless_form.h"
#include "core/script/trace.h"

#include <map>
#include <optional>

namespace loopglass::kernel {

// What a nest is known by among those that are kept: 16 digits.
std::string workload_of(const loop::NamelessForm& form);

class Schedules {
 public:
  struct Own {
    loop::NamelessForm nest;  // that the trace's names are of
    schedule::Trace trace;
  };

  // For this nest and those of equal form; nullopt: none any more.
  void set(const loop::NamelessForm& nest, std::optional<schedule::Trace> trace);
  // With the names of this nest.
  std::optional<schedule::Trace> find(const loop::NamelessForm& nest) const;
  bool empty() const { return kept_.empty(); }
  void clear() { kept_.clear(); }

 private:
  std::map<std::string, Own> kept_;  // by the form's bytes
};

// A trace for one nest, said with the names of another of equal form. Names that primitives derive
// (`conv_local`) follow those they begin with, and so do handles.
schedule::Trace renamed(schedule::Trace trace, const loop::NamelessForm& from,
                        const loop::NamelessForm& to);

}  // namespace loopglass::kernel
