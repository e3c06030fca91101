// What of a window goes into its session, and the model of a session to be opened.
#pragma once

#include "core/saved_session.h"
#include "views/document/document.h"

namespace loopglass::app {

class MainWindow;

// The model as a session names it: a file's whole path, or a sample's name.
std::string model_name_of(const views::Document& document);
// What is asked, with what was before and is undone; the model and its stamp.
void capture_asked(const views::Document& document, SavedSession& session);
// How it is shown.
void capture_view(MainWindow& window, SavedSession& session);

// What of that a window does not know, and leaves out: filters that cannot be read, names of
// workspaces, pages and colours that there are none of.
std::vector<Diagnostic> unknown_in_view(const SavedSession& session);

// To open a model by its name; the file is stamped as it is read.
// `hint`: where there is none.
views::ModelSource source_of(const QString& model, const onnx::InputBindings& inputs,
                             const std::string& hint = {});
// To open it as it was left.
views::ModelSource source_of(std::shared_ptr<const SavedSession> session);
// Of what was opened from such a source; nullopt: of a sample, or not read yet.
std::optional<ModelStamp> stamp_of_source(const views::ModelSource& source);

}  // namespace loopglass::app
