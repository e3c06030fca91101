// What the panes of one kernel show, as commands of `loopglassc`. Empty while there is no kernel.
#pragma once

#include "views/document/document.h"

namespace loopglass::views {

// "loopglassc emit loops lenet --kernel conv1 --step 3": the nest, or what lowering made of it.
QString loops_command(const Document& document);
// The nest that a script is to make which is not in use, and is a file of that name first.
QString draft_command(const Document& document);
// LLVM's IR, or the machine's instructions while they are made.
QString llvm_command(const Document& document);
// `with_times`: beside its lines, where the kernel's time goes.
QString assembly_command(const Document& document, bool with_times = false);
// What is used again how soon, after the step that is shown.
QString locality_command(const Document& document);

}  // namespace loopglass::views
