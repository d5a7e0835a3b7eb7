const pith = "__PITH__"

export const Pith = async () => ({})
