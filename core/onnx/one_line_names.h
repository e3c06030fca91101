// Names of a model are shown in lines of text, by every command and pane, and are not to break
// them.
#pragma once

namespace google::protobuf {
class Message;
}

namespace loopglass::onnx {

// Newlines, tabs and carriage returns in names, of values, nodes, operators, attributes and
// dimensions, become what JSON writes for them: "a\u000ab". Documentation and paths stay.
void put_names_on_one_line(google::protobuf::Message& message);

}  // namespace loopglass::onnx
