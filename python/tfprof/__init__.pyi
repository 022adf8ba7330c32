from typing import Any

from tfprof import hooks as hooks
from tfprof import model_analyzer as model_analyzer
from tfprof import option_builder as option_builder
from tfprof import profile_context as profile_context
from tfprof import pywrap as pywrap
from tfprof import tfprof_logger as tfprof_logger
from tfprof._advice import Advice as Advice
from tfprof._function import profile_function as profile_function
from tfprof._install import install as install
from tfprof._install import installed as installed
from tfprof._install import uninstall as uninstall
from tfprof._keras import KerasCallback as KerasCallback
from tfprof._diff import Diff as Diff
from tfprof._diff import diff as diff
from tfprof._model import Model as Model
from tfprof._model import model as model
from tfprof._model import model_memory as model_memory
from tfprof._native import ArgumentError as ArgumentError
from tfprof._native import Error as Error
from tfprof._native import FileError as FileError
from tfprof._native import FormatError as FormatError
from tfprof._native import __version__ as __version__
from tfprof._profile import Profile as Profile
from tfprof._profile import load as load
from tfprof._result import Node as Node
from tfprof._result import Result as Result
from tfprof._trace import trace as trace
from tfprof.hooks import ProfilerHook as ProfilerHook
from tfprof.model_analyzer import ALL_ADVICE as ALL_ADVICE
from tfprof.model_analyzer import Profiler as Profiler
from tfprof.model_analyzer import advise as advise
from tfprof.model_analyzer import profile as profile
from tfprof.option_builder import ProfileOptionBuilder as ProfileOptionBuilder
from tfprof.profile_context import ProfileContext as ProfileContext
from tfprof.tfprof_logger import write_op_log as write_op_log

# Message classes, TensorFlow's or ours.
AdviceProto: Any
GraphNodeProto: Any
MultiGraphNodeProto: Any
OpLogProto: Any
OptionsProto: Any
ProfileProto: Any
