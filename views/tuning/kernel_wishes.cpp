#include "views/tuning/kernel_wishes.h"

#include "core/support/whole_file.h"
#include "views/tuning/kept_rules.h"

#include <algorithm>

namespace loopglass::views {

namespace {

Result<void> write_script(const std::filesystem::path& file, const std::string& script) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  WholeFile whole = TRY(WholeFile::create(file));
  TRY_VOID(whole.write(script));
  return whole.put_in_place();
}

}  // namespace

const KernelWish& KernelWishes::of(const std::string& workload) const {
  static const KernelWish nothing;
  if (workload.empty()) return nothing;
  const auto [wish, is_new] = wishes_.try_emplace(workload);
  if (is_new && !folder_.empty()) wish->second.rules = kept_rules(rules_file(folder_, workload));
  return wish->second;
}

Result<void> KernelWishes::set_rules(const std::string& workload, const std::string& kernel,
                                     std::vector<tune::KnobRule> rules) {
  KernelWish& wish = wishes_[workload];
  wish.kernel = kernel;
  wish.rules = std::move(rules);
  return folder_.empty() ? Result<void>() : keep_rules(rules_file(folder_, workload), wish.rules);
}

void KernelWishes::set_own_script(const std::string& workload, const std::string& kernel,
                                  const std::string& script) {
  of(workload);  // what was kept comes before
  KernelWish& wish = wishes_[workload];
  wish.kernel = kernel;
  wish.own_script.clear();
  if (folder_.empty()) return;
  const std::filesystem::path file = folder_ / "scripts" / (workload + ".schedule");
  if (write_script(file, script)) wish.own_script = file;
}

void KernelWishes::drop_own_scripts() {
  for (auto& [workload, wish] : wishes_) wish.own_script.clear();
}

void KernelWishes::name_kernels(const std::map<std::string, std::string>& kernels) {
  for (auto& [workload, wish] : wishes_) wish.kernel.clear();
  for (const auto& [workload, kernel] : kernels) {
    of(workload);
    wishes_[workload].kernel = kernel;
  }
}

std::vector<KernelWish> KernelWishes::named() const {
  std::vector<KernelWish> wishes;
  for (const auto& [workload, wish] : wishes_)
    if (!wish.kernel.empty() && (!wish.rules.empty() || !wish.own_script.empty()))
      wishes.push_back(wish);
  std::ranges::sort(wishes, {}, &KernelWish::kernel);
  return wishes;
}

bool KernelWishes::empty() const {
  return std::ranges::all_of(wishes_, [](const auto& each) {
    return each.second.rules.empty() && each.second.own_script.empty();
  });
}

bool has_kept_rules(const std::filesystem::path& folder) {
  std::error_code none;
  return !folder.empty() && std::filesystem::exists(rules_folder(folder), none);
}

}  // namespace loopglass::views
