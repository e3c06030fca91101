#include "core/kernel/code_store.h"

namespace loopglass::kernel {

Result<std::shared_ptr<const codegen::CompiledKernel>> CodeStore::get(const Lowered& kernel) {
  const codegen::CodeKey key = codegen::code_key(kernel.lowered(), kernel.compile_options());
  return loaded_.get(key.short_form(), [&] { return derive(kernel, key); });
}

Result<std::shared_ptr<const codegen::CompiledKernel>> CodeStore::derive(
    const Lowered& kernel, const codegen::CodeKey& key) {
  if (cache_)
    if (const auto kept = cache_->find(key))
      if (auto loaded = codegen::load(*kept)) {
        ++from_cache_;
        return loaded;
      }
  const codegen::ObjectCode code =
      TRY(codegen::generate(kernel.lowered(), kernel.compile_options()));
  ++compiled_;
  // Where it cannot be kept, it is compiled again next time.
  if (cache_) static_cast<void>(cache_->keep(key, code));
  return codegen::load(code);
}

}  // namespace loopglass::kernel
