
R
aPlaceholder*
shape
:*
dtype0*
_output_shapes

:
R
bPlaceholder*
shape
:*
dtype0*
_output_shapes

:
%
dense/MatMulMatMulab*
T0
[
oneStatefulPartitionedCallab*
fR
__inference_f_1*
Tin
00*
Tout
0
b
twoStatefulPartitionedCallab*
fR
__inference_<lambda>_2*
Tin
00*
Tout
0
d
threeStatefulPartitionedCallab*
fR
__inference_<lambda>_2*
Tin
00*
Tout
0Æ
Ö
(
__inference_f_1
a
b
out%
dense/MatMulMatMulab*
T0O
!gradient_tape/dense/MatMul/MatMulMatMuladense/MatMul:product:0*
T0"2
out+gradient_tape/dense/MatMul/MatMul:product:0
;

__inference_<lambda>_2
loopWhile*
bodyR
body
.

body$
loop/MatMulMatMulab*
T0