// What a person wishes of the kernels of a model: knobs pinned and forbidden, which are there again
// on another day, and scripts of their own that stand against what is found.
#pragma once

#include "core/tune/knob_rule.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace loopglass::views {

struct KernelWish {
  std::string kernel;  // a kernel of the plan that is shown; empty: none of it is known to be this
  std::vector<tune::KnobRule> rules = {};
  std::filesystem::path own_script = {};  // a file, for commands; empty: none
};

class KernelWishes {
 public:
  // Rules are kept in this folder from here on, and come from it.
  void keep_in(std::filesystem::path folder) { folder_ = std::move(folder); }

  const KernelWish& of(const std::string& workload) const;
  // Wanted in any case; what keeping them said. FileUnwritable, DiskFull.
  Result<void> set_rules(const std::string& workload, const std::string& kernel,
                         std::vector<tune::KnobRule> rules);
  // Of which a file is kept, if any is.
  void set_own_script(const std::string& workload, const std::string& kernel,
                      const std::string& script);
  void drop_own_script(const std::string& workload) { wishes_[workload].own_script.clear(); }
  void drop_own_scripts();

  // Of what a plan computes, kernels by workload: those that something is wished of.
  void name_kernels(const std::map<std::string, std::string>& kernels);
  // Those of kernels that have names, in their order.
  std::vector<KernelWish> named() const;
  bool empty() const;  // nothing is wished of any kernel, as far as is known
  // For another model: what is kept stays.
  void leave() { wishes_.clear(); }

 private:
  std::filesystem::path folder_;  // empty: nothing is kept
  // By workload; those of another day come when they are asked for.
  mutable std::map<std::string, KernelWish> wishes_;
};

// Whether rules of any kernel are kept there.
bool has_kept_rules(const std::filesystem::path& folder);

}  // namespace loopglass::views
