const pith = "__PITH__"

export default function (pi) {}
