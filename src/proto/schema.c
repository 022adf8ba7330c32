/* Made by tools/make_schema.py from TensorFlow's descriptors; do not edit. */
/* clang-format off */
#include "proto/schema.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define VALUE(name, number) {name, sizeof(name) - 1, number}
#define ENUM(variable, name)                                                   \
	const struct schema_enum variable = {name, variable##_values, COUNT(variable##_values)}

#define FIELD(name, number, kind, how, type)                                   \
	{name, sizeof(name) - 1, number, SCHEMA_##kind, SCHEMA_##how, {type}}
#define OF(variable) .message = &variable
#define NAMED(variable) .enumeration = &variable
#define MESSAGE(variable, name)                                                \
	const struct schema_message variable = {name, variable##_fields, COUNT(variable##_fields)}

static const struct schema_value data_type_values[] = {
	VALUE("DT_INVALID", 0),
	VALUE("DT_FLOAT", 1),
	VALUE("DT_DOUBLE", 2),
	VALUE("DT_INT32", 3),
	VALUE("DT_UINT8", 4),
	VALUE("DT_INT16", 5),
	VALUE("DT_INT8", 6),
	VALUE("DT_STRING", 7),
	VALUE("DT_COMPLEX64", 8),
	VALUE("DT_INT64", 9),
	VALUE("DT_BOOL", 10),
	VALUE("DT_QINT8", 11),
	VALUE("DT_QUINT8", 12),
	VALUE("DT_QINT32", 13),
	VALUE("DT_BFLOAT16", 14),
	VALUE("DT_QINT16", 15),
	VALUE("DT_QUINT16", 16),
	VALUE("DT_UINT16", 17),
	VALUE("DT_COMPLEX128", 18),
	VALUE("DT_HALF", 19),
	VALUE("DT_RESOURCE", 20),
	VALUE("DT_VARIANT", 21),
	VALUE("DT_UINT32", 22),
	VALUE("DT_UINT64", 23),
	VALUE("DT_FLOAT8_E5M2", 24),
	VALUE("DT_FLOAT8_E4M3FN", 25),
	VALUE("DT_FLOAT8_E4M3FNUZ", 26),
	VALUE("DT_FLOAT8_E4M3B11FNUZ", 27),
	VALUE("DT_FLOAT8_E5M2FNUZ", 28),
	VALUE("DT_INT4", 29),
	VALUE("DT_UINT4", 30),
	VALUE("DT_INT2", 31),
	VALUE("DT_UINT2", 32),
	VALUE("DT_FLOAT4_E2M1FN", 33),
	VALUE("DT_FLOAT_REF", 101),
	VALUE("DT_DOUBLE_REF", 102),
	VALUE("DT_INT32_REF", 103),
	VALUE("DT_UINT8_REF", 104),
	VALUE("DT_INT16_REF", 105),
	VALUE("DT_INT8_REF", 106),
	VALUE("DT_STRING_REF", 107),
	VALUE("DT_COMPLEX64_REF", 108),
	VALUE("DT_INT64_REF", 109),
	VALUE("DT_BOOL_REF", 110),
	VALUE("DT_QINT8_REF", 111),
	VALUE("DT_QUINT8_REF", 112),
	VALUE("DT_QINT32_REF", 113),
	VALUE("DT_BFLOAT16_REF", 114),
	VALUE("DT_QINT16_REF", 115),
	VALUE("DT_QUINT16_REF", 116),
	VALUE("DT_UINT16_REF", 117),
	VALUE("DT_COMPLEX128_REF", 118),
	VALUE("DT_HALF_REF", 119),
	VALUE("DT_RESOURCE_REF", 120),
	VALUE("DT_VARIANT_REF", 121),
	VALUE("DT_UINT32_REF", 122),
	VALUE("DT_UINT64_REF", 123),
	VALUE("DT_FLOAT8_E5M2_REF", 124),
	VALUE("DT_FLOAT8_E4M3FN_REF", 125),
	VALUE("DT_FLOAT8_E4M3FNUZ_REF", 126),
	VALUE("DT_FLOAT8_E4M3B11FNUZ_REF", 127),
	VALUE("DT_FLOAT8_E5M2FNUZ_REF", 128),
	VALUE("DT_INT4_REF", 129),
	VALUE("DT_UINT4_REF", 130),
	VALUE("DT_INT2_REF", 131),
	VALUE("DT_UINT2_REF", 132),
	VALUE("DT_FLOAT4_E2M1FN_REF", 133),
};
static ENUM(data_type, "DataType");

static const struct schema_value full_type_id_values[] = {
	VALUE("TFT_UNSET", 0),
	VALUE("TFT_VAR", 1),
	VALUE("TFT_ANY", 2),
	VALUE("TFT_PRODUCT", 3),
	VALUE("TFT_NAMED", 4),
	VALUE("TFT_FOR_EACH", 20),
	VALUE("TFT_CALLABLE", 100),
	VALUE("TFT_TENSOR", 1000),
	VALUE("TFT_ARRAY", 1001),
	VALUE("TFT_OPTIONAL", 1002),
	VALUE("TFT_LITERAL", 1003),
	VALUE("TFT_ENCODED", 1004),
	VALUE("TFT_SHAPE_TENSOR", 1005),
	VALUE("TFT_BOOL", 200),
	VALUE("TFT_UINT8", 201),
	VALUE("TFT_UINT16", 202),
	VALUE("TFT_UINT32", 203),
	VALUE("TFT_UINT64", 204),
	VALUE("TFT_INT8", 205),
	VALUE("TFT_INT16", 206),
	VALUE("TFT_INT32", 207),
	VALUE("TFT_INT64", 208),
	VALUE("TFT_HALF", 209),
	VALUE("TFT_FLOAT", 210),
	VALUE("TFT_DOUBLE", 211),
	VALUE("TFT_BFLOAT16", 215),
	VALUE("TFT_COMPLEX64", 212),
	VALUE("TFT_COMPLEX128", 213),
	VALUE("TFT_STRING", 214),
	VALUE("TFT_DATASET", 10102),
	VALUE("TFT_RAGGED", 10103),
	VALUE("TFT_ITERATOR", 10104),
	VALUE("TFT_MUTEX_LOCK", 10202),
	VALUE("TFT_LEGACY_VARIANT", 10203),
};
static ENUM(full_type_id, "FullTypeId");

/* Messages hold each other in circles, so all are announced first. */
static const struct schema_message node_def;
static const struct schema_message version_def;
static const struct schema_message function_def_library;
static const struct schema_message graph_debug_info;
static const struct schema_message step_stats;
static const struct schema_message cost_graph_def;
static const struct schema_message run_metadata_function_graphs;
static const struct schema_message session_metadata;
static const struct schema_message op_log_entry;
static const struct schema_message op_log_proto_id_to_string_entry;
static const struct schema_message profile_proto_nodes_entry;
static const struct schema_message profile_proto_id_to_string_entry;
static const struct schema_message advisor_options_proto_checkers_entry;
static const struct schema_message tfprof_tensor_proto;
static const struct schema_message tensor_shape_proto;
static const struct schema_message graph_node_proto_input_shapes_entry;
static const struct schema_message advice_proto_checkers_entry;
static const struct schema_message node_def_attr_entry;
static const struct schema_message node_def_experimental_debug_info;
static const struct schema_message full_type_def;
static const struct schema_message function_def;
static const struct schema_message gradient_def;
static const struct schema_message registered_gradient;
static const struct schema_message graph_debug_info_frames_by_id_entry;
static const struct schema_message graph_debug_info_traces_by_id_entry;
static const struct schema_message graph_debug_info_traces_entry;
static const struct schema_message graph_debug_info_name_to_trace_id_entry;
static const struct schema_message device_step_stats;
static const struct schema_message cost_graph_def_node;
static const struct schema_message cost_graph_def_aggregated_cost;
static const struct schema_message code_def;
static const struct schema_message profile_node;
static const struct schema_message advisor_options_proto_checker_option;
static const struct schema_message tensor_shape_proto_dim;
static const struct schema_message advice_proto_checker;
static const struct schema_message attr_value;
static const struct schema_message op_def;
static const struct schema_message function_def_attr_entry;
static const struct schema_message function_def_arg_attr_entry;
static const struct schema_message function_def_resource_arg_unique_id_entry;
static const struct schema_message function_def_ret_entry;
static const struct schema_message function_def_control_ret_entry;
static const struct schema_message graph_debug_info_file_line_col;
static const struct schema_message graph_debug_info_stack_trace;
static const struct schema_message node_exec_stats;
static const struct schema_message device_step_stats_thread_names_entry;
static const struct schema_message cost_graph_def_node_input_info;
static const struct schema_message cost_graph_def_node_output_info;
static const struct schema_message code_def_trace;
static const struct schema_message profile_node_inputs_entry;
static const struct schema_message profile_node_input_shapes_entry;
static const struct schema_message profile_node_outputs_entry;
static const struct schema_message profile_node_output_shapes_entry;
static const struct schema_message profile_node_src_output_index_entry;
static const struct schema_message profile_node_attrs_entry;
static const struct schema_message profile_node_execs_entry;
static const struct schema_message advisor_options_proto_checker_option_options_entry;
static const struct schema_message tensor_proto;
static const struct schema_message attr_value_list_value;
static const struct schema_message name_attr_list;
static const struct schema_message op_def_arg_def;
static const struct schema_message op_def_attr_def;
static const struct schema_message op_deprecation;
static const struct schema_message function_def_arg_attrs;
static const struct schema_message allocator_memory_used;
static const struct schema_message node_output;
static const struct schema_message allocation_description;
static const struct schema_message memory_stats;
static const struct schema_message tuple;
static const struct schema_message exec_profile;
static const struct schema_message resource_handle_proto;
static const struct schema_message variant_tensor_data_proto;
static const struct schema_message name_attr_list_attr_entry;
static const struct schema_message resource_handle_proto_dtype_and_shape;
static const struct schema_message function_def_arg_attrs_attr_entry;
static const struct schema_message allocation_record;
static const struct schema_message tensor_description;
static const struct schema_message exec_profile_accelerator_execs_entry;
static const struct schema_message exec_profile_cpu_execs_entry;
static const struct schema_message exec_memory;
static const struct schema_message exec_time;
static const struct schema_message exec_memory_output_memory_entry;
static const struct schema_message memory;
static const struct schema_message meta_graph_def_meta_info_def;
static const struct schema_message op_list;
static const struct schema_message pprof_value_type;
static const struct schema_message pprof_sample;
static const struct schema_message pprof_label;
static const struct schema_message pprof_mapping;
static const struct schema_message pprof_location;
static const struct schema_message pprof_line;
static const struct schema_message pprof_function;

static const struct schema_field schema_graph_def_fields[] = {
	FIELD("node", 1, MESSAGE, REPEATED, OF(node_def)),
	FIELD("library", 2, MESSAGE, OPTIONAL, OF(function_def_library)),
	FIELD("version", 3, INT32, SINGLE, NULL),
	FIELD("versions", 4, MESSAGE, OPTIONAL, OF(version_def)),
	FIELD("debug_info", 5, MESSAGE, OPTIONAL, OF(graph_debug_info)),
};
MESSAGE(schema_graph_def, "GraphDef");

static const struct schema_field schema_run_metadata_fields[] = {
	FIELD("step_stats", 1, MESSAGE, OPTIONAL, OF(step_stats)),
	FIELD("cost_graph", 2, MESSAGE, OPTIONAL, OF(cost_graph_def)),
	FIELD("partition_graphs", 3, MESSAGE, REPEATED, OF(schema_graph_def)),
	FIELD("function_graphs", 4, MESSAGE, REPEATED, OF(run_metadata_function_graphs)),
	FIELD("session_metadata", 5, MESSAGE, OPTIONAL, OF(session_metadata)),
};
MESSAGE(schema_run_metadata, "RunMetadata");

static const struct schema_field schema_op_log_proto_fields[] = {
	FIELD("log_entries", 1, MESSAGE, REPEATED, OF(op_log_entry)),
	FIELD("id_to_string", 2, MESSAGE, MAP, OF(op_log_proto_id_to_string_entry)),
};
MESSAGE(schema_op_log_proto, "OpLogProto");

static const struct schema_field schema_profile_proto_fields[] = {
	FIELD("nodes", 1, MESSAGE, MAP, OF(profile_proto_nodes_entry)),
	FIELD("has_trace", 2, BOOL, SINGLE, NULL),
	FIELD("steps", 3, INT64, PACKED, NULL),
	FIELD("id_to_string", 4, MESSAGE, MAP, OF(profile_proto_id_to_string_entry)),
	FIELD("miss_accelerator_stream", 5, BOOL, SINGLE, NULL),
};
MESSAGE(schema_profile_proto, "ProfileProto");

static const struct schema_field schema_options_proto_fields[] = {
	FIELD("max_depth", 1, INT64, SINGLE, NULL),
	FIELD("min_bytes", 2, INT64, SINGLE, NULL),
	FIELD("min_micros", 3, INT64, SINGLE, NULL),
	FIELD("min_params", 4, INT64, SINGLE, NULL),
	FIELD("min_float_ops", 5, INT64, SINGLE, NULL),
	FIELD("order_by", 7, STRING, SINGLE, NULL),
	FIELD("account_type_regexes", 8, STRING, REPEATED, NULL),
	FIELD("start_name_regexes", 9, STRING, REPEATED, NULL),
	FIELD("trim_name_regexes", 10, STRING, REPEATED, NULL),
	FIELD("show_name_regexes", 11, STRING, REPEATED, NULL),
	FIELD("hide_name_regexes", 12, STRING, REPEATED, NULL),
	FIELD("account_displayed_op_only", 13, BOOL, SINGLE, NULL),
	FIELD("select", 14, STRING, REPEATED, NULL),
	FIELD("output", 15, STRING, SINGLE, NULL),
	FIELD("dump_to_file", 16, STRING, SINGLE, NULL),
	FIELD("min_occurrence", 17, INT64, SINGLE, NULL),
	FIELD("step", 18, INT64, SINGLE, NULL),
	FIELD("min_peak_bytes", 19, INT64, SINGLE, NULL),
	FIELD("min_residual_bytes", 20, INT64, SINGLE, NULL),
	FIELD("min_output_bytes", 21, INT64, SINGLE, NULL),
	FIELD("min_accelerator_micros", 22, INT64, SINGLE, NULL),
	FIELD("min_cpu_micros", 23, INT64, SINGLE, NULL),
};
MESSAGE(schema_options_proto, "OptionsProto");

static const struct schema_field schema_advisor_options_proto_fields[] = {
	FIELD("checkers", 1, MESSAGE, MAP, OF(advisor_options_proto_checkers_entry)),
};
MESSAGE(schema_advisor_options_proto, "AdvisorOptionsProto");

static const struct schema_field schema_graph_node_proto_fields[] = {
	FIELD("name", 1, STRING, SINGLE, NULL),
	FIELD("exec_micros", 2, INT64, SINGLE, NULL),
	FIELD("requested_bytes", 3, INT64, SINGLE, NULL),
	FIELD("parameters", 4, INT64, SINGLE, NULL),
	FIELD("total_exec_micros", 6, INT64, SINGLE, NULL),
	FIELD("total_requested_bytes", 7, INT64, SINGLE, NULL),
	FIELD("total_parameters", 8, INT64, SINGLE, NULL),
	FIELD("devices", 10, STRING, REPEATED, NULL),
	FIELD("shapes", 11, MESSAGE, REPEATED, OF(tensor_shape_proto)),
	FIELD("children", 12, MESSAGE, REPEATED, OF(schema_graph_node_proto)),
	FIELD("float_ops", 13, INT64, SINGLE, NULL),
	FIELD("total_float_ops", 14, INT64, SINGLE, NULL),
	FIELD("tensor_value", 15, MESSAGE, OPTIONAL, OF(tfprof_tensor_proto)),
	FIELD("input_shapes", 16, MESSAGE, MAP, OF(graph_node_proto_input_shapes_entry)),
	FIELD("accelerator_exec_micros", 17, INT64, SINGLE, NULL),
	FIELD("cpu_exec_micros", 18, INT64, SINGLE, NULL),
	FIELD("total_accelerator_exec_micros", 19, INT64, SINGLE, NULL),
	FIELD("total_cpu_exec_micros", 20, INT64, SINGLE, NULL),
	FIELD("run_count", 21, INT64, SINGLE, NULL),
	FIELD("total_run_count", 22, INT64, SINGLE, NULL),
	FIELD("total_definition_count", 23, INT64, SINGLE, NULL),
	FIELD("peak_bytes", 24, INT64, SINGLE, NULL),
	FIELD("residual_bytes", 25, INT64, SINGLE, NULL),
	FIELD("output_bytes", 26, INT64, SINGLE, NULL),
	FIELD("total_peak_bytes", 27, INT64, SINGLE, NULL),
	FIELD("total_residual_bytes", 28, INT64, SINGLE, NULL),
	FIELD("total_output_bytes", 29, INT64, SINGLE, NULL),
};
MESSAGE(schema_graph_node_proto, "GraphNodeProto");

static const struct schema_field schema_multi_graph_node_proto_fields[] = {
	FIELD("name", 1, STRING, SINGLE, NULL),
	FIELD("exec_micros", 2, INT64, SINGLE, NULL),
	FIELD("requested_bytes", 3, INT64, SINGLE, NULL),
	FIELD("parameters", 4, INT64, SINGLE, NULL),
	FIELD("float_ops", 5, INT64, SINGLE, NULL),
	FIELD("total_exec_micros", 6, INT64, SINGLE, NULL),
	FIELD("total_requested_bytes", 7, INT64, SINGLE, NULL),
	FIELD("total_parameters", 8, INT64, SINGLE, NULL),
	FIELD("total_float_ops", 9, INT64, SINGLE, NULL),
	FIELD("graph_nodes", 10, MESSAGE, REPEATED, OF(schema_graph_node_proto)),
	FIELD("children", 11, MESSAGE, REPEATED, OF(schema_multi_graph_node_proto)),
	FIELD("accelerator_exec_micros", 12, INT64, SINGLE, NULL),
	FIELD("cpu_exec_micros", 13, INT64, SINGLE, NULL),
	FIELD("total_accelerator_exec_micros", 14, INT64, SINGLE, NULL),
	FIELD("total_cpu_exec_micros", 15, INT64, SINGLE, NULL),
	FIELD("peak_bytes", 16, INT64, SINGLE, NULL),
	FIELD("residual_bytes", 17, INT64, SINGLE, NULL),
	FIELD("output_bytes", 18, INT64, SINGLE, NULL),
	FIELD("total_peak_bytes", 19, INT64, SINGLE, NULL),
	FIELD("total_residual_bytes", 20, INT64, SINGLE, NULL),
	FIELD("total_output_bytes", 21, INT64, SINGLE, NULL),
};
MESSAGE(schema_multi_graph_node_proto, "MultiGraphNodeProto");

static const struct schema_field schema_advice_proto_fields[] = {
	FIELD("checkers", 1, MESSAGE, MAP, OF(advice_proto_checkers_entry)),
};
MESSAGE(schema_advice_proto, "AdviceProto");

static const struct schema_field node_def_fields[] = {
	FIELD("name", 1, STRING, SINGLE, NULL),
	FIELD("op", 2, STRING, SINGLE, NULL),
	FIELD("input", 3, STRING, REPEATED, NULL),
	FIELD("device", 4, STRING, SINGLE, NULL),
	FIELD("attr", 5, MESSAGE, MAP, OF(node_def_attr_entry)),
	FIELD("experimental_debug_info", 6, MESSAGE, OPTIONAL,
		OF(node_def_experimental_debug_info)),
	FIELD("experimental_type", 7, MESSAGE, OPTIONAL, OF(full_type_def)),
};
static MESSAGE(node_def, "NodeDef");

static const struct schema_field version_def_fields[] = {
	FIELD("producer", 1, INT32, SINGLE, NULL),
	FIELD("min_consumer", 2, INT32, SINGLE, NULL),
	FIELD("bad_consumers", 3, INT32, PACKED, NULL),
};
static MESSAGE(version_def, "VersionDef");

static const struct schema_field function_def_library_fields[] = {
	FIELD("function", 1, MESSAGE, REPEATED, OF(function_def)),
	FIELD("gradient", 2, MESSAGE, REPEATED, OF(gradient_def)),
	FIELD("registered_gradients", 3, MESSAGE, REPEATED, OF(registered_gradient)),
};
static MESSAGE(function_def_library, "FunctionDefLibrary");

static const struct schema_field graph_debug_info_fields[] = {
	FIELD("files", 1, STRING, REPEATED, NULL),
	FIELD("traces", 2, MESSAGE, MAP, OF(graph_debug_info_traces_entry)),
	FIELD("frames_by_id", 4, MESSAGE, MAP, OF(graph_debug_info_frames_by_id_entry)),
	FIELD("name_to_trace_id", 5, MESSAGE, MAP, OF(graph_debug_info_name_to_trace_id_entry)),
	FIELD("traces_by_id", 6, MESSAGE, MAP, OF(graph_debug_info_traces_by_id_entry)),
};
static MESSAGE(graph_debug_info, "GraphDebugInfo");

static const struct schema_field step_stats_fields[] = {
	FIELD("dev_stats", 1, MESSAGE, REPEATED, OF(device_step_stats)),
};
static MESSAGE(step_stats, "StepStats");

static const struct schema_field cost_graph_def_fields[] = {
	FIELD("node", 1, MESSAGE, REPEATED, OF(cost_graph_def_node)),
	FIELD("cost", 2, MESSAGE, REPEATED, OF(cost_graph_def_aggregated_cost)),
};
static MESSAGE(cost_graph_def, "CostGraphDef");

static const struct schema_field run_metadata_function_graphs_fields[] = {
	FIELD("partition_graphs", 1, MESSAGE, REPEATED, OF(schema_graph_def)),
	FIELD("pre_optimization_graph", 2, MESSAGE, OPTIONAL, OF(schema_graph_def)),
	FIELD("post_optimization_graph", 3, MESSAGE, OPTIONAL, OF(schema_graph_def)),
};
static MESSAGE(run_metadata_function_graphs, "RunMetadata.FunctionGraphs");

static const struct schema_field session_metadata_fields[] = {
	FIELD("name", 1, STRING, SINGLE, NULL),
	FIELD("version", 2, INT64, SINGLE, NULL),
};
static MESSAGE(session_metadata, "SessionMetadata");

static const struct schema_field op_log_entry_fields[] = {
	FIELD("name", 1, STRING, SINGLE, NULL),
	FIELD("float_ops", 2, INT64, SINGLE, NULL),
	FIELD("types", 3, STRING, REPEATED, NULL),
	FIELD("code_def", 4, MESSAGE, OPTIONAL, OF(code_def)),
};
static MESSAGE(op_log_entry, "OpLogEntry");

static const struct schema_field op_log_proto_id_to_string_entry_fields[] = {
	FIELD("key", 1, INT64, OPTIONAL, NULL),
	FIELD("value", 2, STRING, OPTIONAL, NULL),
};
static MESSAGE(op_log_proto_id_to_string_entry, "OpLogProto.IdToStringEntry");

static const struct schema_field profile_proto_nodes_entry_fields[] = {
	FIELD("key", 1, INT64, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(profile_node)),
};
static MESSAGE(profile_proto_nodes_entry, "ProfileProto.NodesEntry");

static const struct schema_field profile_proto_id_to_string_entry_fields[] = {
	FIELD("key", 1, INT64, OPTIONAL, NULL),
	FIELD("value", 2, STRING, OPTIONAL, NULL),
};
static MESSAGE(profile_proto_id_to_string_entry, "ProfileProto.IdToStringEntry");

static const struct schema_field advisor_options_proto_checkers_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(advisor_options_proto_checker_option)),
};
static MESSAGE(advisor_options_proto_checkers_entry, "AdvisorOptionsProto.CheckersEntry");

static const struct schema_field tfprof_tensor_proto_fields[] = {
	FIELD("dtype", 1, ENUM, SINGLE, NAMED(data_type)),
	FIELD("value_double", 2, DOUBLE, PACKED, NULL),
	FIELD("value_int64", 3, INT64, PACKED, NULL),
	FIELD("value_str", 4, STRING, REPEATED, NULL),
};
static MESSAGE(tfprof_tensor_proto, "TFProfTensorProto");

static const struct schema_field tensor_shape_proto_fields[] = {
	FIELD("dim", 2, MESSAGE, REPEATED, OF(tensor_shape_proto_dim)),
	FIELD("unknown_rank", 3, BOOL, SINGLE, NULL),
};
static MESSAGE(tensor_shape_proto, "TensorShapeProto");

static const struct schema_field graph_node_proto_input_shapes_entry_fields[] = {
	FIELD("key", 1, INT32, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(tensor_shape_proto)),
};
static MESSAGE(graph_node_proto_input_shapes_entry, "GraphNodeProto.InputShapesEntry");

static const struct schema_field advice_proto_checkers_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(advice_proto_checker)),
};
static MESSAGE(advice_proto_checkers_entry, "AdviceProto.CheckersEntry");

static const struct schema_field node_def_attr_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(attr_value)),
};
static MESSAGE(node_def_attr_entry, "NodeDef.AttrEntry");

static const struct schema_field node_def_experimental_debug_info_fields[] = {
	FIELD("original_node_names", 1, STRING, REPEATED, NULL),
	FIELD("original_func_names", 2, STRING, REPEATED, NULL),
};
static MESSAGE(node_def_experimental_debug_info, "NodeDef.ExperimentalDebugInfo");

static const struct schema_field full_type_def_fields[] = {
	FIELD("type_id", 1, ENUM, SINGLE, NAMED(full_type_id)),
	FIELD("args", 2, MESSAGE, REPEATED, OF(full_type_def)),
	FIELD("s", 3, STRING, ONEOF, NULL),
	FIELD("i", 4, INT64, ONEOF, NULL),
};
static MESSAGE(full_type_def, "FullTypeDef");

static const struct schema_field function_def_fields[] = {
	FIELD("signature", 1, MESSAGE, OPTIONAL, OF(op_def)),
	FIELD("node_def", 3, MESSAGE, REPEATED, OF(node_def)),
	FIELD("ret", 4, MESSAGE, MAP, OF(function_def_ret_entry)),
	FIELD("attr", 5, MESSAGE, MAP, OF(function_def_attr_entry)),
	FIELD("control_ret", 6, MESSAGE, MAP, OF(function_def_control_ret_entry)),
	FIELD("arg_attr", 7, MESSAGE, MAP, OF(function_def_arg_attr_entry)),
	FIELD("resource_arg_unique_id", 8, MESSAGE, MAP,
		OF(function_def_resource_arg_unique_id_entry)),
};
static MESSAGE(function_def, "FunctionDef");

static const struct schema_field gradient_def_fields[] = {
	FIELD("function_name", 1, STRING, SINGLE, NULL),
	FIELD("gradient_func", 2, STRING, SINGLE, NULL),
};
static MESSAGE(gradient_def, "GradientDef");

static const struct schema_field registered_gradient_fields[] = {
	FIELD("gradient_func", 1, STRING, SINGLE, NULL),
	FIELD("registered_op_type", 2, STRING, SINGLE, NULL),
};
static MESSAGE(registered_gradient, "RegisteredGradient");

static const struct schema_field graph_debug_info_frames_by_id_entry_fields[] = {
	FIELD("key", 1, FIXED64, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(graph_debug_info_file_line_col)),
};
static MESSAGE(graph_debug_info_frames_by_id_entry, "GraphDebugInfo.FramesByIdEntry");

static const struct schema_field graph_debug_info_traces_by_id_entry_fields[] = {
	FIELD("key", 1, FIXED64, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(graph_debug_info_stack_trace)),
};
static MESSAGE(graph_debug_info_traces_by_id_entry, "GraphDebugInfo.TracesByIdEntry");

static const struct schema_field graph_debug_info_traces_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(graph_debug_info_stack_trace)),
};
static MESSAGE(graph_debug_info_traces_entry, "GraphDebugInfo.TracesEntry");

static const struct schema_field graph_debug_info_name_to_trace_id_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, FIXED64, OPTIONAL, NULL),
};
static MESSAGE(graph_debug_info_name_to_trace_id_entry, "GraphDebugInfo.NameToTraceIdEntry");

static const struct schema_field device_step_stats_fields[] = {
	FIELD("device", 1, STRING, SINGLE, NULL),
	FIELD("node_stats", 2, MESSAGE, REPEATED, OF(node_exec_stats)),
	FIELD("thread_names", 3, MESSAGE, MAP, OF(device_step_stats_thread_names_entry)),
};
static MESSAGE(device_step_stats, "DeviceStepStats");

static const struct schema_field cost_graph_def_node_fields[] = {
	FIELD("name", 1, STRING, SINGLE, NULL),
	FIELD("device", 2, STRING, SINGLE, NULL),
	FIELD("id", 3, INT32, SINGLE, NULL),
	FIELD("input_info", 4, MESSAGE, REPEATED, OF(cost_graph_def_node_input_info)),
	FIELD("output_info", 5, MESSAGE, REPEATED, OF(cost_graph_def_node_output_info)),
	FIELD("temporary_memory_size", 6, INT64, SINGLE, NULL),
	FIELD("is_final", 7, BOOL, SINGLE, NULL),
	FIELD("control_input", 8, INT32, PACKED, NULL),
	FIELD("compute_cost", 9, INT64, SINGLE, NULL),
	FIELD("host_temp_memory_size", 10, INT64, SINGLE, NULL),
	FIELD("device_temp_memory_size", 11, INT64, SINGLE, NULL),
	FIELD("persistent_memory_size", 12, INT64, SINGLE, NULL),
	FIELD("compute_time", 14, INT64, SINGLE, NULL),
	FIELD("memory_time", 15, INT64, SINGLE, NULL),
	FIELD("device_persistent_memory_size", 16, INT64, SINGLE, NULL),
	FIELD("inaccurate", 17, BOOL, SINGLE, NULL),
};
static MESSAGE(cost_graph_def_node, "CostGraphDef.Node");

static const struct schema_field cost_graph_def_aggregated_cost_fields[] = {
	FIELD("cost", 1, FLOAT, SINGLE, NULL),
	FIELD("dimension", 2, STRING, SINGLE, NULL),
};
static MESSAGE(cost_graph_def_aggregated_cost, "CostGraphDef.AggregatedCost");

static const struct schema_field code_def_fields[] = {
	FIELD("traces", 1, MESSAGE, REPEATED, OF(code_def_trace)),
};
static MESSAGE(code_def, "CodeDef");

static const struct schema_field profile_node_fields[] = {
	FIELD("name", 1, STRING, SINGLE, NULL),
	FIELD("inputs", 2, MESSAGE, MAP, OF(profile_node_inputs_entry)),
	FIELD("outputs", 3, MESSAGE, MAP, OF(profile_node_outputs_entry)),
	FIELD("shape", 4, INT64, PACKED, NULL),
	FIELD("op_types", 5, STRING, REPEATED, NULL),
	FIELD("canonical_device", 6, STRING, SINGLE, NULL),
	FIELD("host_device", 7, STRING, SINGLE, NULL),
	FIELD("float_ops", 8, INT64, SINGLE, NULL),
	FIELD("op", 9, STRING, SINGLE, NULL),
	FIELD("trace", 10, MESSAGE, OPTIONAL, OF(code_def)),
	FIELD("attrs", 11, MESSAGE, MAP, OF(profile_node_attrs_entry)),
	FIELD("execs", 12, MESSAGE, MAP, OF(profile_node_execs_entry)),
	FIELD("id", 13, INT64, SINGLE, NULL),
	FIELD("src_output_index", 14, MESSAGE, MAP, OF(profile_node_src_output_index_entry)),
	FIELD("output_shapes", 15, MESSAGE, MAP, OF(profile_node_output_shapes_entry)),
	FIELD("input_shapes", 16, MESSAGE, MAP, OF(profile_node_input_shapes_entry)),
};
static MESSAGE(profile_node, "ProfileNode");

static const struct schema_field advisor_options_proto_checker_option_fields[] = {
	FIELD("options", 1, MESSAGE, MAP, OF(advisor_options_proto_checker_option_options_entry)),
};
static MESSAGE(advisor_options_proto_checker_option, "AdvisorOptionsProto.CheckerOption");

static const struct schema_field tensor_shape_proto_dim_fields[] = {
	FIELD("size", 1, INT64, SINGLE, NULL),
	FIELD("name", 2, STRING, SINGLE, NULL),
};
static MESSAGE(tensor_shape_proto_dim, "TensorShapeProto.Dim");

static const struct schema_field advice_proto_checker_fields[] = {
	FIELD("reports", 2, STRING, REPEATED, NULL),
};
static MESSAGE(advice_proto_checker, "AdviceProto.Checker");

static const struct schema_field attr_value_fields[] = {
	FIELD("list", 1, MESSAGE, ONEOF, OF(attr_value_list_value)),
	FIELD("s", 2, BYTES, ONEOF, NULL),
	FIELD("i", 3, INT64, ONEOF, NULL),
	FIELD("f", 4, FLOAT, ONEOF, NULL),
	FIELD("b", 5, BOOL, ONEOF, NULL),
	FIELD("type", 6, ENUM, ONEOF, NAMED(data_type)),
	FIELD("shape", 7, MESSAGE, ONEOF, OF(tensor_shape_proto)),
	FIELD("tensor", 8, MESSAGE, ONEOF, OF(tensor_proto)),
	FIELD("placeholder", 9, STRING, ONEOF, NULL),
	FIELD("func", 10, MESSAGE, ONEOF, OF(name_attr_list)),
};
static MESSAGE(attr_value, "AttrValue");

static const struct schema_field op_def_fields[] = {
	FIELD("name", 1, STRING, SINGLE, NULL),
	FIELD("input_arg", 2, MESSAGE, REPEATED, OF(op_def_arg_def)),
	FIELD("output_arg", 3, MESSAGE, REPEATED, OF(op_def_arg_def)),
	FIELD("attr", 4, MESSAGE, REPEATED, OF(op_def_attr_def)),
	FIELD("summary", 5, STRING, SINGLE, NULL),
	FIELD("description", 6, STRING, SINGLE, NULL),
	FIELD("deprecation", 8, MESSAGE, OPTIONAL, OF(op_deprecation)),
	FIELD("is_aggregate", 16, BOOL, SINGLE, NULL),
	FIELD("is_stateful", 17, BOOL, SINGLE, NULL),
	FIELD("is_commutative", 18, BOOL, SINGLE, NULL),
	FIELD("allows_uninitialized_input", 19, BOOL, SINGLE, NULL),
	FIELD("control_output", 20, STRING, REPEATED, NULL),
	FIELD("is_distributed_communication", 21, BOOL, SINGLE, NULL),
};
static MESSAGE(op_def, "OpDef");

static const struct schema_field function_def_attr_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(attr_value)),
};
static MESSAGE(function_def_attr_entry, "FunctionDef.AttrEntry");

static const struct schema_field function_def_arg_attr_entry_fields[] = {
	FIELD("key", 1, UINT32, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(function_def_arg_attrs)),
};
static MESSAGE(function_def_arg_attr_entry, "FunctionDef.ArgAttrEntry");

static const struct schema_field function_def_resource_arg_unique_id_entry_fields[] = {
	FIELD("key", 1, UINT32, OPTIONAL, NULL),
	FIELD("value", 2, UINT32, OPTIONAL, NULL),
};
static MESSAGE(function_def_resource_arg_unique_id_entry, "FunctionDef.ResourceArgUniqueIdEntry");

static const struct schema_field function_def_ret_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, STRING, OPTIONAL, NULL),
};
static MESSAGE(function_def_ret_entry, "FunctionDef.RetEntry");

static const struct schema_field function_def_control_ret_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, STRING, OPTIONAL, NULL),
};
static MESSAGE(function_def_control_ret_entry, "FunctionDef.ControlRetEntry");

static const struct schema_field graph_debug_info_file_line_col_fields[] = {
	FIELD("file_index", 1, INT32, OPTIONAL, NULL),
	FIELD("line", 2, INT32, OPTIONAL, NULL),
	FIELD("col", 3, INT32, OPTIONAL, NULL),
	FIELD("func", 4, STRING, OPTIONAL, NULL),
	FIELD("code", 5, STRING, OPTIONAL, NULL),
};
static MESSAGE(graph_debug_info_file_line_col, "GraphDebugInfo.FileLineCol");

static const struct schema_field graph_debug_info_stack_trace_fields[] = {
	FIELD("file_line_cols", 1, MESSAGE, REPEATED, OF(graph_debug_info_file_line_col)),
	FIELD("frame_id", 2, FIXED64, PACKED, NULL),
};
static MESSAGE(graph_debug_info_stack_trace, "GraphDebugInfo.StackTrace");

static const struct schema_field node_exec_stats_fields[] = {
	FIELD("node_name", 1, STRING, SINGLE, NULL),
	FIELD("all_start_micros", 2, INT64, SINGLE, NULL),
	FIELD("op_start_rel_micros", 3, INT64, SINGLE, NULL),
	FIELD("op_end_rel_micros", 4, INT64, SINGLE, NULL),
	FIELD("all_end_rel_micros", 5, INT64, SINGLE, NULL),
	FIELD("memory", 6, MESSAGE, REPEATED, OF(allocator_memory_used)),
	FIELD("output", 7, MESSAGE, REPEATED, OF(node_output)),
	FIELD("timeline_label", 8, STRING, SINGLE, NULL),
	FIELD("scheduled_micros", 9, INT64, SINGLE, NULL),
	FIELD("thread_id", 10, UINT32, SINGLE, NULL),
	FIELD("referenced_tensor", 11, MESSAGE, REPEATED, OF(allocation_description)),
	FIELD("memory_stats", 12, MESSAGE, OPTIONAL, OF(memory_stats)),
	FIELD("all_start_nanos", 13, INT64, SINGLE, NULL),
	FIELD("op_start_rel_nanos", 14, INT64, SINGLE, NULL),
	FIELD("op_end_rel_nanos", 15, INT64, SINGLE, NULL),
	FIELD("all_end_rel_nanos", 16, INT64, SINGLE, NULL),
	FIELD("scheduled_nanos", 17, INT64, SINGLE, NULL),
};
static MESSAGE(node_exec_stats, "NodeExecStats");

static const struct schema_field device_step_stats_thread_names_entry_fields[] = {
	FIELD("key", 1, UINT32, OPTIONAL, NULL),
	FIELD("value", 2, STRING, OPTIONAL, NULL),
};
static MESSAGE(device_step_stats_thread_names_entry, "DeviceStepStats.ThreadNamesEntry");

static const struct schema_field cost_graph_def_node_input_info_fields[] = {
	FIELD("preceding_node", 1, INT32, SINGLE, NULL),
	FIELD("preceding_port", 2, INT32, SINGLE, NULL),
};
static MESSAGE(cost_graph_def_node_input_info, "CostGraphDef.Node.InputInfo");

static const struct schema_field cost_graph_def_node_output_info_fields[] = {
	FIELD("size", 1, INT64, SINGLE, NULL),
	FIELD("alias_input_port", 2, INT64, SINGLE, NULL),
	FIELD("shape", 3, MESSAGE, OPTIONAL, OF(tensor_shape_proto)),
	FIELD("dtype", 4, ENUM, SINGLE, NAMED(data_type)),
};
static MESSAGE(cost_graph_def_node_output_info, "CostGraphDef.Node.OutputInfo");

static const struct schema_field code_def_trace_fields[] = {
	FIELD("lineno", 2, INT32, SINGLE, NULL),
	FIELD("func_start_line", 5, INT32, SINGLE, NULL),
	FIELD("file_id", 6, INT64, SINGLE, NULL),
	FIELD("function_id", 7, INT64, SINGLE, NULL),
	FIELD("line_id", 8, INT64, SINGLE, NULL),
};
static MESSAGE(code_def_trace, "CodeDef.Trace");

static const struct schema_field profile_node_inputs_entry_fields[] = {
	FIELD("key", 1, INT32, OPTIONAL, NULL),
	FIELD("value", 2, INT64, OPTIONAL, NULL),
};
static MESSAGE(profile_node_inputs_entry, "ProfileNode.InputsEntry");

static const struct schema_field profile_node_input_shapes_entry_fields[] = {
	FIELD("key", 1, INT32, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(tuple)),
};
static MESSAGE(profile_node_input_shapes_entry, "ProfileNode.InputShapesEntry");

static const struct schema_field profile_node_outputs_entry_fields[] = {
	FIELD("key", 1, INT32, OPTIONAL, NULL),
	FIELD("value", 2, INT64, OPTIONAL, NULL),
};
static MESSAGE(profile_node_outputs_entry, "ProfileNode.OutputsEntry");

static const struct schema_field profile_node_output_shapes_entry_fields[] = {
	FIELD("key", 1, INT32, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(tuple)),
};
static MESSAGE(profile_node_output_shapes_entry, "ProfileNode.OutputShapesEntry");

static const struct schema_field profile_node_src_output_index_entry_fields[] = {
	FIELD("key", 1, INT64, OPTIONAL, NULL),
	FIELD("value", 2, INT32, OPTIONAL, NULL),
};
static MESSAGE(profile_node_src_output_index_entry, "ProfileNode.SrcOutputIndexEntry");

static const struct schema_field profile_node_attrs_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(attr_value)),
};
static MESSAGE(profile_node_attrs_entry, "ProfileNode.AttrsEntry");

static const struct schema_field profile_node_execs_entry_fields[] = {
	FIELD("key", 1, INT64, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(exec_profile)),
};
static MESSAGE(profile_node_execs_entry, "ProfileNode.ExecsEntry");

static const struct schema_field advisor_options_proto_checker_option_options_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, STRING, OPTIONAL, NULL),
};
static MESSAGE(advisor_options_proto_checker_option_options_entry,
	"AdvisorOptionsProto.CheckerOption.OptionsEntry");

static const struct schema_field tensor_proto_fields[] = {
	FIELD("dtype", 1, ENUM, SINGLE, NAMED(data_type)),
	FIELD("tensor_shape", 2, MESSAGE, OPTIONAL, OF(tensor_shape_proto)),
	FIELD("version_number", 3, INT32, SINGLE, NULL),
	FIELD("tensor_content", 4, BYTES, SINGLE, NULL),
	FIELD("float_val", 5, FLOAT, PACKED, NULL),
	FIELD("double_val", 6, DOUBLE, PACKED, NULL),
	FIELD("int_val", 7, INT32, PACKED, NULL),
	FIELD("string_val", 8, BYTES, REPEATED, NULL),
	FIELD("scomplex_val", 9, FLOAT, PACKED, NULL),
	FIELD("int64_val", 10, INT64, PACKED, NULL),
	FIELD("bool_val", 11, BOOL, PACKED, NULL),
	FIELD("dcomplex_val", 12, DOUBLE, PACKED, NULL),
	FIELD("half_val", 13, INT32, PACKED, NULL),
	FIELD("resource_handle_val", 14, MESSAGE, REPEATED, OF(resource_handle_proto)),
	FIELD("variant_val", 15, MESSAGE, REPEATED, OF(variant_tensor_data_proto)),
	FIELD("uint32_val", 16, UINT32, PACKED, NULL),
	FIELD("uint64_val", 17, UINT64, PACKED, NULL),
	FIELD("float8_val", 18, BYTES, SINGLE, NULL),
};
static MESSAGE(tensor_proto, "TensorProto");

static const struct schema_field attr_value_list_value_fields[] = {
	FIELD("s", 2, BYTES, REPEATED, NULL),
	FIELD("i", 3, INT64, PACKED, NULL),
	FIELD("f", 4, FLOAT, PACKED, NULL),
	FIELD("b", 5, BOOL, PACKED, NULL),
	FIELD("type", 6, ENUM, PACKED, NAMED(data_type)),
	FIELD("shape", 7, MESSAGE, REPEATED, OF(tensor_shape_proto)),
	FIELD("tensor", 8, MESSAGE, REPEATED, OF(tensor_proto)),
	FIELD("func", 9, MESSAGE, REPEATED, OF(name_attr_list)),
};
static MESSAGE(attr_value_list_value, "AttrValue.ListValue");

static const struct schema_field name_attr_list_fields[] = {
	FIELD("name", 1, STRING, SINGLE, NULL),
	FIELD("attr", 2, MESSAGE, MAP, OF(name_attr_list_attr_entry)),
};
static MESSAGE(name_attr_list, "NameAttrList");

static const struct schema_field op_def_arg_def_fields[] = {
	FIELD("name", 1, STRING, SINGLE, NULL),
	FIELD("description", 2, STRING, SINGLE, NULL),
	FIELD("type", 3, ENUM, SINGLE, NAMED(data_type)),
	FIELD("type_attr", 4, STRING, SINGLE, NULL),
	FIELD("number_attr", 5, STRING, SINGLE, NULL),
	FIELD("type_list_attr", 6, STRING, SINGLE, NULL),
	FIELD("handle_data", 7, MESSAGE, REPEATED, OF(resource_handle_proto_dtype_and_shape)),
	FIELD("is_ref", 16, BOOL, SINGLE, NULL),
	FIELD("experimental_full_type", 17, MESSAGE, OPTIONAL, OF(full_type_def)),
};
static MESSAGE(op_def_arg_def, "OpDef.ArgDef");

static const struct schema_field op_def_attr_def_fields[] = {
	FIELD("name", 1, STRING, SINGLE, NULL),
	FIELD("type", 2, STRING, SINGLE, NULL),
	FIELD("default_value", 3, MESSAGE, OPTIONAL, OF(attr_value)),
	FIELD("description", 4, STRING, SINGLE, NULL),
	FIELD("has_minimum", 5, BOOL, SINGLE, NULL),
	FIELD("minimum", 6, INT64, SINGLE, NULL),
	FIELD("allowed_values", 7, MESSAGE, OPTIONAL, OF(attr_value)),
};
static MESSAGE(op_def_attr_def, "OpDef.AttrDef");

static const struct schema_field op_deprecation_fields[] = {
	FIELD("version", 1, INT32, SINGLE, NULL),
	FIELD("explanation", 2, STRING, SINGLE, NULL),
};
static MESSAGE(op_deprecation, "OpDeprecation");

static const struct schema_field function_def_arg_attrs_fields[] = {
	FIELD("attr", 1, MESSAGE, MAP, OF(function_def_arg_attrs_attr_entry)),
};
static MESSAGE(function_def_arg_attrs, "FunctionDef.ArgAttrs");

static const struct schema_field allocator_memory_used_fields[] = {
	FIELD("allocator_name", 1, STRING, SINGLE, NULL),
	FIELD("total_bytes", 2, INT64, SINGLE, NULL),
	FIELD("peak_bytes", 3, INT64, SINGLE, NULL),
	FIELD("live_bytes", 4, INT64, SINGLE, NULL),
	FIELD("allocator_bytes_in_use", 5, INT64, SINGLE, NULL),
	FIELD("allocation_records", 6, MESSAGE, REPEATED, OF(allocation_record)),
};
static MESSAGE(allocator_memory_used, "AllocatorMemoryUsed");

static const struct schema_field node_output_fields[] = {
	FIELD("slot", 1, INT32, SINGLE, NULL),
	FIELD("tensor_description", 3, MESSAGE, OPTIONAL, OF(tensor_description)),
};
static MESSAGE(node_output, "NodeOutput");

static const struct schema_field allocation_description_fields[] = {
	FIELD("requested_bytes", 1, INT64, SINGLE, NULL),
	FIELD("allocated_bytes", 2, INT64, SINGLE, NULL),
	FIELD("allocator_name", 3, STRING, SINGLE, NULL),
	FIELD("allocation_id", 4, INT64, SINGLE, NULL),
	FIELD("has_single_reference", 5, BOOL, SINGLE, NULL),
	FIELD("ptr", 6, UINT64, SINGLE, NULL),
};
static MESSAGE(allocation_description, "AllocationDescription");

static const struct schema_field memory_stats_fields[] = {
	FIELD("temp_memory_size", 1, INT64, SINGLE, NULL),
	FIELD("device_temp_memory_size", 2, INT64, SINGLE, NULL),
	FIELD("persistent_memory_size", 3, INT64, SINGLE, NULL),
	FIELD("device_persistent_memory_size", 4, INT64, SINGLE, NULL),
	FIELD("persistent_tensor_alloc_ids", 5, INT64, PACKED, NULL),
	FIELD("device_persistent_tensor_alloc_ids", 6, INT64, PACKED, NULL),
};
static MESSAGE(memory_stats, "MemoryStats");

static const struct schema_field tuple_fields[] = {
	FIELD("int64_values", 1, INT64, PACKED, NULL),
};
static MESSAGE(tuple, "Tuple");

static const struct schema_field exec_profile_fields[] = {
	FIELD("run_count", 1, INT64, SINGLE, NULL),
	FIELD("all_start_micros", 2, INT64, SINGLE, NULL),
	FIELD("latest_end_micros", 3, INT64, SINGLE, NULL),
	FIELD("accelerator_execs", 4, MESSAGE, MAP, OF(exec_profile_accelerator_execs_entry)),
	FIELD("cpu_execs", 5, MESSAGE, MAP, OF(exec_profile_cpu_execs_entry)),
	FIELD("devices", 6, STRING, REPEATED, NULL),
	FIELD("memory_execs", 7, MESSAGE, REPEATED, OF(exec_memory)),
	FIELD("allocations", 11, MESSAGE, REPEATED, OF(allocation_record)),
};
static MESSAGE(exec_profile, "ExecProfile");

static const struct schema_field resource_handle_proto_fields[] = {
	FIELD("device", 1, STRING, SINGLE, NULL),
	FIELD("container", 2, STRING, SINGLE, NULL),
	FIELD("name", 3, STRING, SINGLE, NULL),
	FIELD("hash_code", 4, UINT64, SINGLE, NULL),
	FIELD("maybe_type_name", 5, STRING, SINGLE, NULL),
	FIELD("dtypes_and_shapes", 6, MESSAGE, REPEATED, OF(resource_handle_proto_dtype_and_shape)),
};
static MESSAGE(resource_handle_proto, "ResourceHandleProto");

static const struct schema_field variant_tensor_data_proto_fields[] = {
	FIELD("type_name", 1, STRING, SINGLE, NULL),
	FIELD("metadata", 2, BYTES, SINGLE, NULL),
	FIELD("tensors", 3, MESSAGE, REPEATED, OF(tensor_proto)),
};
static MESSAGE(variant_tensor_data_proto, "VariantTensorDataProto");

static const struct schema_field name_attr_list_attr_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(attr_value)),
};
static MESSAGE(name_attr_list_attr_entry, "NameAttrList.AttrEntry");

static const struct schema_field resource_handle_proto_dtype_and_shape_fields[] = {
	FIELD("dtype", 1, ENUM, SINGLE, NAMED(data_type)),
	FIELD("shape", 2, MESSAGE, OPTIONAL, OF(tensor_shape_proto)),
};
static MESSAGE(resource_handle_proto_dtype_and_shape, "ResourceHandleProto.DtypeAndShape");

static const struct schema_field function_def_arg_attrs_attr_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(attr_value)),
};
static MESSAGE(function_def_arg_attrs_attr_entry, "FunctionDef.ArgAttrs.AttrEntry");

static const struct schema_field allocation_record_fields[] = {
	FIELD("alloc_micros", 1, INT64, SINGLE, NULL),
	FIELD("alloc_bytes", 2, INT64, SINGLE, NULL),
};
static MESSAGE(allocation_record, "AllocationRecord");

static const struct schema_field tensor_description_fields[] = {
	FIELD("dtype", 1, ENUM, SINGLE, NAMED(data_type)),
	FIELD("shape", 2, MESSAGE, OPTIONAL, OF(tensor_shape_proto)),
	FIELD("allocation_description", 4, MESSAGE, OPTIONAL, OF(allocation_description)),
};
static MESSAGE(tensor_description, "TensorDescription");

static const struct schema_field exec_profile_accelerator_execs_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(exec_time)),
};
static MESSAGE(exec_profile_accelerator_execs_entry, "ExecProfile.AcceleratorExecsEntry");

static const struct schema_field exec_profile_cpu_execs_entry_fields[] = {
	FIELD("key", 1, STRING, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(exec_time)),
};
static MESSAGE(exec_profile_cpu_execs_entry, "ExecProfile.CpuExecsEntry");

static const struct schema_field exec_memory_fields[] = {
	FIELD("memory_micros", 1, INT64, SINGLE, NULL),
	FIELD("host_temp_bytes", 2, INT64, SINGLE, NULL),
	FIELD("host_persistent_bytes", 3, INT64, SINGLE, NULL),
	FIELD("accelerator_temp_bytes", 4, INT64, SINGLE, NULL),
	FIELD("accelerator_persistent_bytes", 5, INT64, SINGLE, NULL),
	FIELD("requested_bytes", 6, INT64, SINGLE, NULL),
	FIELD("peak_bytes", 7, INT64, SINGLE, NULL),
	FIELD("residual_bytes", 8, INT64, SINGLE, NULL),
	FIELD("output_bytes", 9, INT64, SINGLE, NULL),
	FIELD("allocator_bytes_in_use", 10, INT64, SINGLE, NULL),
	FIELD("output_memory", 11, MESSAGE, MAP, OF(exec_memory_output_memory_entry)),
};
static MESSAGE(exec_memory, "ExecMemory");

static const struct schema_field exec_time_fields[] = {
	FIELD("times", 1, MESSAGE, REPEATED, OF(tuple)),
};
static MESSAGE(exec_time, "ExecTime");

static const struct schema_field exec_memory_output_memory_entry_fields[] = {
	FIELD("key", 1, INT32, OPTIONAL, NULL),
	FIELD("value", 2, MESSAGE, OPTIONAL, OF(memory)),
};
static MESSAGE(exec_memory_output_memory_entry, "ExecMemory.OutputMemoryEntry");

static const struct schema_field memory_fields[] = {
	FIELD("bytes", 1, INT64, SINGLE, NULL),
	FIELD("ptr", 2, UINT64, SINGLE, NULL),
};
static MESSAGE(memory, "Memory");

static const struct schema_field schema_meta_graph_def_fields[] = {
	FIELD("meta_info_def", 1, MESSAGE, OPTIONAL, OF(meta_graph_def_meta_info_def)),
	FIELD("graph_def", 2, MESSAGE, OPTIONAL, OF(schema_graph_def)),
	FIELD("saver_def", 3, BYTES, OPTIONAL, NULL),  /* opaque */
	FIELD("collection_def", 4, BYTES, REPEATED, NULL),  /* opaque */
	FIELD("signature_def", 5, BYTES, REPEATED, NULL),  /* opaque */
	FIELD("asset_file_def", 6, BYTES, REPEATED, NULL),  /* opaque */
	FIELD("object_graph_def", 7, BYTES, OPTIONAL, NULL),  /* opaque */
};
MESSAGE(schema_meta_graph_def, "MetaGraphDef");

static const struct schema_field schema_saved_model_fields[] = {
	FIELD("saved_model_schema_version", 1, INT64, SINGLE, NULL),
	FIELD("meta_graphs", 2, MESSAGE, REPEATED, OF(schema_meta_graph_def)),
};
MESSAGE(schema_saved_model, "SavedModel");

static const struct schema_field schema_pprof_profile_fields[] = {
	FIELD("sample_type", 1, MESSAGE, REPEATED, OF(pprof_value_type)),
	FIELD("sample", 2, MESSAGE, REPEATED, OF(pprof_sample)),
	FIELD("mapping", 3, MESSAGE, REPEATED, OF(pprof_mapping)),
	FIELD("location", 4, MESSAGE, REPEATED, OF(pprof_location)),
	FIELD("function", 5, MESSAGE, REPEATED, OF(pprof_function)),
	FIELD("string_table", 6, STRING, REPEATED, NULL),
	FIELD("drop_frames", 7, INT64, SINGLE, NULL),
	FIELD("keep_frames", 8, INT64, SINGLE, NULL),
	FIELD("time_nanos", 9, INT64, SINGLE, NULL),
	FIELD("duration_nanos", 10, INT64, SINGLE, NULL),
	FIELD("period_type", 11, MESSAGE, OPTIONAL, OF(pprof_value_type)),
	FIELD("period", 12, INT64, SINGLE, NULL),
	FIELD("comment", 13, INT64, PACKED, NULL),
	FIELD("default_sample_type", 14, INT64, SINGLE, NULL),
};
MESSAGE(schema_pprof_profile, "pprof.Profile");

static const struct schema_field meta_graph_def_meta_info_def_fields[] = {
	FIELD("meta_graph_version", 1, STRING, SINGLE, NULL),
	FIELD("stripped_op_list", 2, MESSAGE, OPTIONAL, OF(op_list)),
	FIELD("any_info", 3, BYTES, OPTIONAL, NULL),  /* opaque */
	FIELD("tags", 4, STRING, REPEATED, NULL),
	FIELD("tensorflow_version", 5, STRING, SINGLE, NULL),
	FIELD("tensorflow_git_version", 6, STRING, SINGLE, NULL),
	FIELD("stripped_default_attrs", 7, BOOL, SINGLE, NULL),
	FIELD("function_aliases", 8, BYTES, REPEATED, NULL),  /* opaque */
};
static MESSAGE(meta_graph_def_meta_info_def, "MetaGraphDef.MetaInfoDef");

static const struct schema_field op_list_fields[] = {
	FIELD("op", 1, MESSAGE, REPEATED, OF(op_def)),
};
static MESSAGE(op_list, "OpList");

static const struct schema_field pprof_value_type_fields[] = {
	FIELD("type", 1, INT64, SINGLE, NULL),
	FIELD("unit", 2, INT64, SINGLE, NULL),
};
static MESSAGE(pprof_value_type, "pprof.ValueType");

static const struct schema_field pprof_sample_fields[] = {
	FIELD("location_id", 1, UINT64, PACKED, NULL),
	FIELD("value", 2, INT64, PACKED, NULL),
	FIELD("label", 3, MESSAGE, REPEATED, OF(pprof_label)),
};
static MESSAGE(pprof_sample, "pprof.Sample");

static const struct schema_field pprof_label_fields[] = {
	FIELD("key", 1, INT64, SINGLE, NULL),
	FIELD("str", 2, INT64, SINGLE, NULL),
	FIELD("num", 3, INT64, SINGLE, NULL),
};
static MESSAGE(pprof_label, "pprof.Label");

static const struct schema_field pprof_mapping_fields[] = {
	FIELD("id", 1, UINT64, SINGLE, NULL),
	FIELD("memory_start", 2, UINT64, SINGLE, NULL),
	FIELD("memory_limit", 3, UINT64, SINGLE, NULL),
	FIELD("file_offset", 4, UINT64, SINGLE, NULL),
	FIELD("filename", 5, INT64, SINGLE, NULL),
	FIELD("build_id", 6, INT64, SINGLE, NULL),
	FIELD("has_functions", 7, BOOL, SINGLE, NULL),
	FIELD("has_filenames", 8, BOOL, SINGLE, NULL),
	FIELD("has_line_numbers", 9, BOOL, SINGLE, NULL),
	FIELD("has_inline_frames", 10, BOOL, SINGLE, NULL),
};
static MESSAGE(pprof_mapping, "pprof.Mapping");

static const struct schema_field pprof_location_fields[] = {
	FIELD("id", 1, UINT64, SINGLE, NULL),
	FIELD("mapping_id", 2, UINT64, SINGLE, NULL),
	FIELD("address", 3, UINT64, SINGLE, NULL),
	FIELD("line", 4, MESSAGE, REPEATED, OF(pprof_line)),
};
static MESSAGE(pprof_location, "pprof.Location");

static const struct schema_field pprof_line_fields[] = {
	FIELD("function_id", 1, UINT64, SINGLE, NULL),
	FIELD("line", 2, INT64, SINGLE, NULL),
};
static MESSAGE(pprof_line, "pprof.Line");

static const struct schema_field pprof_function_fields[] = {
	FIELD("id", 1, UINT64, SINGLE, NULL),
	FIELD("name", 2, INT64, SINGLE, NULL),
	FIELD("system_name", 3, INT64, SINGLE, NULL),
	FIELD("filename", 4, INT64, SINGLE, NULL),
	FIELD("start_line", 5, INT64, SINGLE, NULL),
};
static MESSAGE(pprof_function, "pprof.Function");

const struct schema_message *const schema_messages[] = {
	&schema_graph_def,
	&schema_run_metadata,
	&schema_op_log_proto,
	&schema_profile_proto,
	&schema_options_proto,
	&schema_advisor_options_proto,
	&schema_graph_node_proto,
	&schema_multi_graph_node_proto,
	&schema_advice_proto,
	&node_def,
	&version_def,
	&function_def_library,
	&graph_debug_info,
	&step_stats,
	&cost_graph_def,
	&run_metadata_function_graphs,
	&session_metadata,
	&op_log_entry,
	&op_log_proto_id_to_string_entry,
	&profile_proto_nodes_entry,
	&profile_proto_id_to_string_entry,
	&advisor_options_proto_checkers_entry,
	&tfprof_tensor_proto,
	&tensor_shape_proto,
	&graph_node_proto_input_shapes_entry,
	&advice_proto_checkers_entry,
	&node_def_attr_entry,
	&node_def_experimental_debug_info,
	&full_type_def,
	&function_def,
	&gradient_def,
	&registered_gradient,
	&graph_debug_info_frames_by_id_entry,
	&graph_debug_info_traces_by_id_entry,
	&graph_debug_info_traces_entry,
	&graph_debug_info_name_to_trace_id_entry,
	&device_step_stats,
	&cost_graph_def_node,
	&cost_graph_def_aggregated_cost,
	&code_def,
	&profile_node,
	&advisor_options_proto_checker_option,
	&tensor_shape_proto_dim,
	&advice_proto_checker,
	&attr_value,
	&op_def,
	&function_def_attr_entry,
	&function_def_arg_attr_entry,
	&function_def_resource_arg_unique_id_entry,
	&function_def_ret_entry,
	&function_def_control_ret_entry,
	&graph_debug_info_file_line_col,
	&graph_debug_info_stack_trace,
	&node_exec_stats,
	&device_step_stats_thread_names_entry,
	&cost_graph_def_node_input_info,
	&cost_graph_def_node_output_info,
	&code_def_trace,
	&profile_node_inputs_entry,
	&profile_node_input_shapes_entry,
	&profile_node_outputs_entry,
	&profile_node_output_shapes_entry,
	&profile_node_src_output_index_entry,
	&profile_node_attrs_entry,
	&profile_node_execs_entry,
	&advisor_options_proto_checker_option_options_entry,
	&tensor_proto,
	&attr_value_list_value,
	&name_attr_list,
	&op_def_arg_def,
	&op_def_attr_def,
	&op_deprecation,
	&function_def_arg_attrs,
	&allocator_memory_used,
	&node_output,
	&allocation_description,
	&memory_stats,
	&tuple,
	&exec_profile,
	&resource_handle_proto,
	&variant_tensor_data_proto,
	&name_attr_list_attr_entry,
	&resource_handle_proto_dtype_and_shape,
	&function_def_arg_attrs_attr_entry,
	&allocation_record,
	&tensor_description,
	&exec_profile_accelerator_execs_entry,
	&exec_profile_cpu_execs_entry,
	&exec_memory,
	&exec_time,
	&exec_memory_output_memory_entry,
	&memory,
	NULL,
};
