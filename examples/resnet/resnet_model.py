"""A 32-layer residual network for 32x32 colour images in ten classes.

Three stages of five units, each unit two 3x3 convolutions and a shortcut;
batch normalisation and activation come before the convolution they belong to.
Variables carry the names that the profiler's documentation shows: `DW` for
convolution kernels, `unit_<stage>_<unit>` for the units.
"""

import tensorflow.compat.v1 as tf

N_CLASSES = 10
UNITS_PER_STAGE = 5
STAGES = ((16, 1), (32, 2), (64, 2))  # filters, stride of the first unit
BN_DECAY = 0.9
BN_EPSILON = 0.001


def build_logits(images, training=True):
    with tf.variable_scope("init"):
        x = conv("init_conv", images, 16, stride=1)
    for stage, (filters, stride) in enumerate(STAGES, start=1):
        for unit in range(UNITS_PER_STAGE):
            with tf.variable_scope(f"unit_{stage}_{unit}"):
                x = residual_unit(x, filters, stride if unit == 0 else 1, training,
                                  activate_shortcut=(stage, unit) == (1, 0))
    with tf.variable_scope("unit_last"):
        x = batch_norm("final_bn", x, training)
        x = tf.nn.relu(x)
        x = tf.reduce_mean(x, axis=[1, 2], name="global_avg_pool")
    with tf.variable_scope("pool_logit"):
        return fully_connected(x, N_CLASSES)


def residual_unit(x, filters, stride, training, activate_shortcut):
    shortcut = x
    with tf.variable_scope("shared_activation" if activate_shortcut
                           else "residual_only_activation"):
        x = batch_norm("init_bn", x, training)
        x = tf.nn.relu(x)
    if activate_shortcut:
        shortcut = x
    with tf.variable_scope("sub1"):
        x = conv("conv1", x, filters, stride)
    with tf.variable_scope("sub2"):
        x = batch_norm("bn2", x, training)
        x = tf.nn.relu(x)
        x = conv("conv2", x, filters, stride=1)
    with tf.variable_scope("sub_add"):
        return x + fit_shortcut(shortcut, filters, stride)


def fit_shortcut(x, filters, stride):
    """Brings the shortcut to the unit's output size, without parameters."""
    missing = filters - x.shape[3].value
    if not missing:
        return x
    x = tf.nn.avg_pool(x, [1, stride, stride, 1], [1, stride, stride, 1], "VALID")
    return tf.pad(x, [[0, 0], [0, 0], [0, 0], [missing // 2, missing // 2]])


def conv(name, x, filters, stride):
    with tf.variable_scope(name):
        inputs = x.shape[3].value
        kernel = tf.get_variable("DW", [3, 3, inputs, filters], initializer=(
            tf.random_normal_initializer(stddev=(2.0 / (9 * filters)) ** 0.5)))
        return tf.nn.conv2d(x, kernel, [1, stride, stride, 1], padding="SAME")


def fully_connected(x, outputs):
    weights = tf.get_variable("DW", [x.shape[1].value, outputs],
                              initializer=tf.uniform_unit_scaling_initializer(factor=1.0))
    biases = tf.get_variable("biases", [outputs], initializer=tf.zeros_initializer())
    return tf.nn.xw_plus_b(x, weights, biases)


def batch_norm(name, x, training):
    with tf.variable_scope(name):
        channels = [x.shape[3].value]
        beta = tf.get_variable("beta", channels, initializer=tf.zeros_initializer())
        gamma = tf.get_variable("gamma", channels, initializer=tf.ones_initializer())
        moving_mean = tf.get_variable("moving_mean", channels, trainable=False,
                                      initializer=tf.zeros_initializer())
        moving_variance = tf.get_variable("moving_variance", channels, trainable=False,
                                          initializer=tf.ones_initializer())
        if not training:
            return tf.nn.batch_normalization(x, moving_mean, moving_variance, beta, gamma,
                                             BN_EPSILON)
        mean, variance = tf.nn.moments(x, [0, 1, 2], name="moments")
        for moving, current in ((moving_mean, mean), (moving_variance, variance)):
            update = tf.assign_sub(moving, (moving - current) * (1 - BN_DECAY))
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, BN_EPSILON)


def build_cost(logits, labels):
    with tf.variable_scope("costs"):
        cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
            logits=logits, labels=labels)
        return tf.reduce_mean(cross_entropy, name="cross_entropy")


def build_train_op(cost, global_step):
    optimizer = tf.train.MomentumOptimizer(learning_rate=0.1, momentum=0.9)
    gradients = tf.gradients(cost, tf.trainable_variables())
    apply = optimizer.apply_gradients(zip(gradients, tf.trainable_variables()),
                                      global_step=global_step, name="train_step")
    return tf.group(apply, *tf.get_collection(tf.GraphKeys.UPDATE_OPS))
